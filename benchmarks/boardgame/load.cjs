// Plays many games at once against a server and says how quickly it answered: `node load.cjs '{"server": …}'`.
//
// One program for both servers, so that the client is the same: two sockets a game, one for each player; whoever sees the
// other's move sends the next. A move is done when its own player has the answer: our `ack`, boardgame.io's `update`.
// socket.io's frames are written here by hand, which is less work than its own client does.

const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const readline = require("node:readline");
const { createRequire } = require("node:module");

const WebSocket = createRequire(path.join(process.cwd(), "package.json"))("ws");

const order = JSON.parse(process.argv[2]);
// server: "numberline" or "boardgame.io"; port, lobby (where matches are made, if elsewhere); games; variant; warm, seconds; rate (moves a second; 0: closed loop);
// pid (of the server, for its processor time); forward (only forward); opening (play so many plies of each game, say so, and hold them until the input ends)
const { port, games } = order;
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
const refused = { slowed: 0, errors: 0, first: null };

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function post(address, body, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port: order.lobby ?? port, path: address, method: "POST", headers, agent }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, wait: Number(answer.headers["retry-after"] || 1), text }));
    });
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}

async function asked(address, body) {
  for (;;) {
    const { status, wait, text } = await post(address, body);
    if (status < 300) return JSON.parse(text);
    if (status !== 429) throw new Error(`${address}: ${status} ${text}`);
    refused.slowed += 1;
    await pause(wait * 1000);
  }
}

// ---- The two servers: how a match is made, how a socket is opened, how a move is written and an answer is read.

const numberline = {
  async create() {
    const seats = [{ name: "Ann" }, null];
    const made = await asked("/api/matches", { variant: order.variant, first: 1, rounds: 1, seats, clock: null, assist: "off" });
    const id = typeof made.match === "string" ? made.match : made.match.id;
    const invite = made.invites[0].url.split("#")[1];
    const other = await asked(`/api/matches/${id}/seats`, { invite, name: "Bob" });
    return { id, tokens: [made.token, other.token] };
  },
  address: (match) => `ws://127.0.0.1:${port}/api/matches/${match.id}/socket`,
  opened: (socket, game, seat) => socket.send(JSON.stringify({ kind: "hello", token: game.match.tokens[seat], since: 0 })),
  move: (game, move) =>
    JSON.stringify({ kind: "move", request: `${game.id}-${game.seq}`, seq: game.seq, move }),
  // what a frame says: ready, done (the mover's answer), seen (the new state, for each player), failed
  read(text) {
    const frame = JSON.parse(text);
    if (frame.kind === "event") return { seen: true, seq: frame.seq, place: frame.ply.lands };
    if (frame.kind === "ack") return { done: true };
    if (frame.kind === "table") return { ready: true, seq: frame.seq };
    if (frame.kind === "error" || frame.kind === "goodbye") return { failed: text };
    return {};
  },
};

const boardgame = {
  async create() {
    const { matchID } = await asked("/games/line-runner/create", { numPlayers: 2 });
    const tokens = [];
    for (const seat of [0, 1]) {
      const joined = await asked(`/games/line-runner/${matchID}/join`, { playerID: String(seat), playerName: "Ann" });
      tokens.push(joined.playerCredentials);
    }
    return { id: matchID, tokens };
  },
  address: () => `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`,
  opened: () => {},
  move(game, move) {
    const seat = String(game.turn);
    const payload = { type: "step", args: [move], playerID: seat, credentials: game.match.tokens[game.turn] };
    return `42/line-runner,${JSON.stringify(["update", { type: "MAKE_MOVE", payload }, game.seq, game.match.id, seat])}`;
  },
  read(text, socket, game, seat) {
    if (text === "2") socket.send("3");
    else if (text[0] === "0") socket.send("40/line-runner,");
    else if (text.startsWith("40/line-runner")) {
      const greeting = ["sync", game.match.id, String(seat), game.match.tokens[seat], 2];
      socket.send(`42/line-runner,${JSON.stringify(greeting)}`);
    } else if (text.startsWith("42/line-runner,")) {
      const [kind, , state] = JSON.parse(text.slice(15));
      if (kind === "sync") return { ready: true, seq: state.state._stateID };
      if (kind === "update") return { seen: true, done: seat === game.turn, seq: state._stateID, place: state.G.tokens[game.turn] };
    } else if (text[0] === "4" && text[1] === "4") return { failed: text };
    return {};
  },
};

const server = { numberline, "boardgame.io": boardgame }[order.server];

// ---- The games

let seed = 1;
function chance() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296;
}

// Forward and back, so that no game ends: only the board's own places are visited, as in games that people play.
function choose(place) {
  if (order.forward) return String(1 + Math.floor(chance() * 3));
  if (place > 15 || (place > 0 && chance() < 0.66)) return "back";
  return String(1 + Math.floor(chance() * 3));
}

class Game {
  constructor(id, match) {
    Object.assign(this, { id, match, seq: 0, turn: 0, places: [0, 0], sockets: [], due: [], began: 0, busy: false });
  }

  connect(seat) {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(server.address(this.match), { perMessageDeflate: false });
      this.sockets[seat] = socket;
      socket.on("open", () => server.opened(socket, this, seat));
      socket.on("error", reject);
      socket.on("close", (code, reason) => stopping || reject(new Error(`closed: ${code} ${reason}`)));
      socket.on("message", (data) => this.hear(data.toString(), socket, seat, resolve));
    });
  }

  hear(text, socket, seat, resolve) {
    const said = server.read(text, socket, this, seat);
    if (said.ready) {
      this.seq = said.seq;
      resolve();
    }
    if (said.failed) fail(said.failed);
    if (said.done && seat === this.turn && this.busy) finished(this);
    // The other player sees the move; what the mover is told of it may come sooner or later.
    if (said.seen && seat !== this.turn && said.seq > this.seq) {
      this.places[this.turn] = said.place;
      this.next = said.seq;
    }
    if (!this.busy && this.next !== undefined) {
      this.seq = this.next;
      this.next = undefined;
      this.turn = 1 - this.turn;
      this.idle();
    }
  }

  idle() {
    if (!playing) return;
    if (this.seq >= order.opening) {
      held += 1;
      return;
    }
    if (!order.rate) this.play(performance.now());
    else if (this.due.length) this.play(this.due.shift());
    else this.free = true;
  }

  play(wanted) {
    this.busy = true;
    this.free = false;
    this.began = wanted;
    this.sockets[this.turn].send(server.move(this, choose(this.places[this.turn])));
  }

  wish(now) {
    if (this.free) this.play(now);
    else this.due.push(now);
  }
}

let playing = false;
let measuring = false;
let stopping = false;
let held = 0;
const waits = [];

function finished(game) {
  game.busy = false;
  if (measuring) waits.push(performance.now() - game.began);
}

function fail(text) {
  refused.errors += 1;
  refused.first ??= text;
  if (refused.errors > 20) {
    console.error(`too many errors: ${refused.first}`);
    process.exit(1);
  }
}

async function inParallel(count, workers, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

// Sends so many moves a second whatever the server does, to one game after another.
async function openLoop(all, milliseconds) {
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < milliseconds) {
    const now = performance.now();
    for (const due = ((now - began) * order.rate) / 1000; sent < due; sent += 1) all[sent % all.length].wish(now);
    await pause(1);
  }
}

// The processor time that the server and its workers have used so far, in seconds, where the system tells (Linux).
function spent(pid = order.pid) {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
    const workers = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean);
    return workers.reduce((sum, worker) => sum + spent(worker), (Number(fields[11]) + Number(fields[12])) / 100);
  } catch {
    return NaN;
  }
}

async function load(all, milliseconds) {
  if (order.rate) await openLoop(all, milliseconds);
  else await pause(milliseconds);
}

async function main() {
  const all = [];
  const began = performance.now();
  await inParallel(games, 8, async (number) => (all[number] = new Game(number, await server.create())));
  const created = performance.now();
  await inParallel(games, 32, async (number) => {
    await all[number].connect(0);
    await all[number].connect(1);
  });
  const connected = performance.now();
  const result = { create: (created - began) / 1000, connect: (connected - created) / 1000 };
  playing = true;
  for (const game of all) game.idle();
  if (order.opening) {
    while (held < games) await pause(20);
    console.log(JSON.stringify({ ...result, ...refused }));
    await new Promise((resolve) => readline.createInterface({ input: process.stdin }).on("close", resolve));
    process.exit(0);
  }
  await load(all, order.warm * 1000);
  measuring = true;
  const cpu = process.cpuUsage();
  const before = spent();
  const start = performance.now();
  await load(all, order.seconds * 1000);
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  result.spent = spent() - before;
  measuring = false;
  playing = false;
  stopping = true;
  waits.sort((one, two) => one - two);
  const at = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? null;
  const unanswered = all.filter((game) => game.busy).length;
  Object.assign(result, refused, { moves: waits.length, seconds, unanswered, busy: (used.user + used.system) / 1e6 / seconds });
  Object.assign(result, { p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) });
  console.log(JSON.stringify(result));
  process.exit(0);
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
