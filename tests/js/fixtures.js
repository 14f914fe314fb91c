// Small messages, as the server sends them.

const line = (count) => Array.from({ length: count }, (_, n) => n);

/** A race on a line from 0 to `end`, with one token each. */
export function makeBook(changes = {}) {
  const end = changes.end ?? 20;
  return {
    variant: "line-runner",
    title: "Line Runner",
    about: "A race.",
    line: [0, end],
    places: [0, end + 2],
    goals: [{ place: end, player: 0, label: "" }],
    players: [
      { player: 1, label: "A", name: "Player A" },
      { player: 2, label: "B", name: "Player B" },
    ],
    tokens: 1,
    shared: false,
    sums: false,
    nouns: { place: "position", token: "token" },
    choices: ["1", "2", "3"],
    goal: "Be the first to reach 20.",
    rule: "You can't go past the goal.",
    ...changes,
  };
}

export function makeChoice(move, place, wanted, changes = {}) {
  const texts = { leads: "", result: "", why_not: "", note: "", spoken: `${move}: to ${wanted}` };
  return { move, legal: true, token: 0, place, wanted, lands: wanted, ...texts, ...changes };
}

export function makePosition(places, turn = 1, changes = {}) {
  const from = places[turn - 1];
  return {
    position: `${turn} ${places.join()}`,
    turn,
    tokens: places.map((place, n) => ({ player: n + 1, place, label: "AB"[n] })),
    places: line(21),
    out: [],
    banned: "",
    choices: [1, 2, 3].map((step) =>
      makeChoice(String(step), from, from + step, { token: turn - 1 }),
    ),
    outcome: null,
    said: `{1} is on ${places[0]}. {2} is on ${places[1]}.`,
    ...changes,
  };
}

export function makePly(number, player, move, place, lands) {
  const told = `{${player}} just played ${move}`;
  return { number, player, move, place, wanted: lands, lands, position: "", said: told, told };
}

export function makeSnapshot(changes = {}, matchChanges = {}) {
  const seat = (player, name) => ({ player, name, bot: null, taken: true, present: true });
  return {
    kind: "table",
    seq: 2,
    you: [1],
    book: makeBook(),
    match: {
      id: "m",
      variant: "line-runner",
      own_book: false,
      practice: false,
      seats: [seat(1, "Ann"), seat(2, "Ben")],
      first: 1,
      start: "1 0,0",
      tossed: false,
      round: 1,
      rounds: 1,
      score: [0, 0],
      outcome: null,
      undo: false,
      resign: true,
      offers: [],
      clock: null,
      assist: "on",
      rematch: null,
      ended: false,
      watching: 0,
      log: [],
      ...matchChanges,
    },
    position: makePosition([0, 0]),
    values: null,
    ...changes,
  };
}

export function makeEvent(changes = {}) {
  return {
    kind: "event",
    seq: 3,
    seat: 1,
    what: "2",
    ply: makePly(1, 1, "2", 0, 2),
    position: makePosition([2, 0], 2),
    values: null,
    outcome: null,
    clock: null,
    ...changes,
  };
}
