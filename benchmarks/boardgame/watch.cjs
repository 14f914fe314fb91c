// Has many sockets watch one match and says how soon each of them had each move: `node watch.cjs '{"port": …}'`.
//
// One socket plays both seats, one move after another, each when all who watch have the one before.

const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { createRequire } = require("node:module");

const WebSocket = createRequire(path.join(process.cwd(), "package.json"))("ws");

const { port, pid, variant, watchers, warm, moves } = JSON.parse(process.argv[2]);

function fail(error) {
  console.error(String(error));
  process.exit(1);
}

function post(address, body) {
  const headers = { "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, path: address, method: "POST", headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => (answer.statusCode < 300 ? resolve(JSON.parse(text)) : reject(new Error(text))));
    });
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}

// A socket that has the table; `hear` is called with every event's number.
function connected(match, token, hear) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/matches/${match}/socket`, { perMessageDeflate: false });
    socket.on("open", () => socket.send(JSON.stringify({ kind: "hello", since: 0, ...(token && { token }) })));
    socket.on("error", reject);
    socket.on("close", (code) => fail(`closed: ${code}`));
    socket.on("message", (data) => {
      const begins = data.toString("latin1", 0, 40);
      if (begins.startsWith('{"kind":"event"')) hear(Number(begins.slice(22).split(",")[0]));
      else if (begins.startsWith('{"kind":"table"')) resolve(socket);
      else if (begins.startsWith('{"kind":"error"')) fail(data.toString());
    });
  });
}

// There and back again, each in a place of its own, so that the game never ends.
function choose(seq) {
  const turn = Math.floor(seq / 2);
  if (seq % 2 && turn < 2) return "3";
  return turn % 2 ? "back" : "1";
}

function spent() {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
}

async function main() {
  const seats = [{ name: "Ann" }, { name: "Bob" }];
  const made = await post("/api/matches", { variant, seats, assist: "off" });
  const waits = [];
  let [sent, heard, complete] = [0, 0, () => {}];
  const hear = () => {
    waits.push(performance.now() - sent);
    heard += 1;
    if (heard === watchers) complete();
  };
  const player = await connected(made.match, made.token, () => {});
  const began = performance.now();
  for (let next = 0; next < watchers; ) {
    const some = Array.from({ length: Math.min(50, watchers - next) }, () => connected(made.match, null, hear));
    next += (await Promise.all(some)).length;
  }
  const connect = (performance.now() - began) / 1000;
  let before = 0;
  for (let seq = 0; seq < warm + moves; seq += 1) {
    if (seq === warm) {
      waits.length = 0;
      before = spent();
    }
    const all = new Promise((resolve) => (complete = resolve));
    heard = 0;
    sent = performance.now();
    player.send(JSON.stringify({ kind: "move", request: `move-${seq}`, seq, move: choose(seq) }));
    await all;
  }
  const used = spent() - before;
  waits.sort((one, two) => one - two);
  const at = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))];
  console.log(JSON.stringify({ told: waits.length, connect, p50: at(0.5), p99: at(0.99), most: at(1), spent: used }));
  process.exit(0);
}

main().catch(fail);
