// Line Runner with a step back, on the line 0 to END, served by boardgame.io from memory: `node server.cjs PORT LOBBY END`.
//
// Matches are made on the port LOBBY: with the packages that boardgame.io 0.50 gets today (koa-compose 4.2), its
// lobby doesn't answer on the port of the games.

const path = require("node:path");
const { createRequire } = require("node:module");

const installed = createRequire(path.join(process.cwd(), "package.json"));
const { Server } = installed("boardgame.io/server");
const { INVALID_MOVE } = installed("boardgame.io/core");

const [port, lobby, end] = process.argv.slice(2).map(Number);

// Whoever would land on the other stops on the nearest free place on the way; the start is free for both.
function landing(from, stride, other) {
  const direction = Math.sign(stride);
  let place = Math.min(from + stride, end);
  while (place === other && place !== 0 && place !== from) place -= direction;
  return place;
}

function step({ G, playerID }, move) {
  const mine = Number(playerID);
  const stride = move === "back" ? -1 : Number(move);
  if (![-1, 1, 2, 3].includes(stride) || G.tokens[mine] + stride < 0) return INVALID_MOVE;
  G.tokens[mine] = landing(G.tokens[mine], stride, G.tokens[1 - mine]);
  return undefined;
}

const game = {
  name: "line-runner",
  minPlayers: 2,
  maxPlayers: 2,
  disableUndo: true, // a list of old states for each match: ours sends none either
  setup: () => ({ tokens: [0, 0] }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { step },
  endIf: ({ G }) => {
    const winner = G.tokens.findIndex((place) => place >= end);
    return winner < 0 ? undefined : { winner: String(winner) };
  },
};

Server({ games: [game], origins: [/localhost/, /127\.0\.0\.1/] }).run({ port, lobbyConfig: { apiPort: lobby } });
