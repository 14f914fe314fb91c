import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const stored = new Map();
globalThis.localStorage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
  removeItem: (key) => stored.delete(key),
};
globalThis.document = { getElementById: () => null, documentElement: { dataset: {} } };

const {
  autoBot,
  dailyResults,
  forgetMatch,
  nextFirst,
  openMatches,
  progress,
  record,
  rememberMatch,
  rememberStep,
  sendPending,
  stepOf,
} = await import("../../src/numberline/web/static/js/progress.js");

const put = (key, value) => stored.set(`numberline.${key}`, JSON.stringify(value));
const read = (key) => JSON.parse(stored.get(`numberline.${key}`) ?? "null");

/** Answer requests with `answer`, and return the bodies of the requests. */
function serve(answer) {
  const bodies = [];
  globalThis.fetch = async (_, { body }) => {
    bodies.push(JSON.parse(body));
    const { status = 200, ...reply } = answer(bodies.at(-1), bodies.length);
    return { ok: status === 200, text: async () => JSON.stringify(reply) };
  };
  return bodies;
}

/** A reply with one more game. */
const counted = ({ document, event }) => ({
  document: { ...document, games: [...(document.games ?? []), event.match] },
  changes: { stars: 3, streak: 0, level: 0, sentences: [] },
  notice: "",
});
const finished = (match) => ({ kind: "match", match, day: "2026-01-31", helped: false });

beforeEach(() => stored.clear());

test("an event is sent with the document, and the reply is stored", async () => {
  put("progress", { version: 1, name: "Ada" });
  const [sent] = [serve(counted), await record(finished("a"))];
  assert.deepEqual(sent[0].document, { version: 1, name: "Ada" });
  assert.deepEqual(read("progress"), { version: 1, name: "Ada", games: ["a"] });
});

test("events are kept while the server is silent, and sent later in order", async () => {
  globalThis.fetch = async () => {
    throw new TypeError("offline");
  };
  assert.equal(await record(finished("a")), null);
  assert.equal(await record(finished("b")), null);
  serve(counted);
  await sendPending();
  assert.deepEqual([read("progress").games, read("progress.pending")], [["a", "b"], []]);
});

test("a rejected event is dropped, and the document stays", async () => {
  put("progress", { version: 2 });
  serve(() => ({ status: 400, code: "bad_message", sentence: "It is newer." }));
  await record(finished("a"));
  assert.deepEqual([read("progress"), read("progress.pending")], [{ version: 2 }, []]);
});

test("a document that another page changed meanwhile is sent again", async () => {
  put("progress", { version: 1, games: [] });
  const sent = serve((body, number) => {
    if (number === 1) put("progress", { version: 1, games: ["other"] });
    return counted(body);
  });
  await record(finished("a"));
  assert.deepEqual([sent.length, read("progress").games], [2, ["other", "a"]]);
});

test("a damaged document is set aside", async () => {
  stored.set("numberline.progress", "{damaged");
  const sent = serve(() => ({
    document: { version: 1 },
    changes: {},
    notice: "Your progress was damaged.",
  }));
  globalThis.document.getElementById = () => ({ append() {}, replaceChildren() {} });
  await record(finished("a")).catch(() => {});
  assert.equal(sent[0].document, "{damaged");
  assert.equal(read("progress.damaged"), "{damaged");
});

test("progress of older versions becomes a document", () => {
  put("name", "Ada");
  put("puzzles", { asked: 4, solved: 2, streak: 1, best: 2, rating: 900 });
  put("daily", { day: "2026-01-31", results: [true, null, false] });
  put("levels", { sprint: 5 });
  put("firsts", { sprint: 2 });
  put("lessons", { sprint: { done: [1, 2, 3, 4, 5], at: 5 }, "flag-chase": { done: [1], at: 2 } });
  assert.deepEqual(progress(), {
    version: 1,
    name: "Ada",
    levels: { sprint: 5 },
    starts: { sprint: 2 },
    lessons: { sprint: 1 },
    puzzles: {
      asked: 4,
      solved: 2,
      streak: 1,
      rating: 900,
      best_streak: 2,
      daily_day: "2026-01-31",
      daily: [true, null, false],
    },
  });
  assert.deepEqual(dailyResults("2026-01-31"), [true, null, false, null, null]);
  assert.deepEqual(dailyResults("2026-02-01"), [null, null, null, null, null]);
});

test("the opponent and who starts follow the document", () => {
  assert.deepEqual([autoBot("sprint(end=9)"), nextFirst("sprint", 2, 2)], ["auto", 2]);
  put("progress", { levels: { sprint: 5 }, starts: { sprint: 2 } });
  assert.deepEqual([autoBot("sprint(end=9)"), nextFirst("sprint", 2, 2)], ["auto:5", 1]);
});

test("several open matches are remembered, newest first", () => {
  put("last", "old");
  for (const id of ["a", "b", "a"]) rememberMatch(id);
  assert.deepEqual(openMatches(), ["a", "b", "old"]);
  forgetMatch("b");
  assert.deepEqual(openMatches(), ["a", "old"]);
});

test("the ladder step of a match is remembered", () => {
  rememberStep("a", "flag-chase-1");
  rememberStep("b", "flag-chase-2");
  assert.deepEqual(["a", "b", "c"].map(stepOf), ["flag-chase-1", "flag-chase-2", ""]);
});
