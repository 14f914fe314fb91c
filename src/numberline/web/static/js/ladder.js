// @ts-check
// The ladders of the games: the next step of each on the home page, and matches that are steps.

import { get } from "./api.js";
import { $, button, element, whileBusy } from "./dom.js";
import { createMatch } from "./new-match.js";
import { clearError, showError } from "./page.js";
import { bookOf, progress, stepOf } from "./progress.js";
import { pluralize } from "./text.js";

/** @import { Ladder, LadderStep } from "./messages.d.ts" */

/**
 * A step and the one after it.
 *
 * @typedef {{ step: LadderStep, next: LadderStep | undefined }} LadderPlace
 */

/** @type {Promise<Ladder[]> | null} */
let loading = null;

/** @returns {Promise<Ladder[]>} */
function loadLadders() {
  loading ??= get("/api/ladders").then(({ ladders }) => ladders);
  loading.catch(() => (loading = null));
  return loading;
}

/**
 * Return the place on a ladder of a match; null if it isn't a step, or if the server doesn't answer.
 *
 * @param {string} match
 * @returns {Promise<LadderPlace | null>}
 */
export async function findPlace(match) {
  const id = stepOf(match);
  if (!id) return null;
  for (const { steps } of await loadLadders().catch(() => [])) {
    const n = steps.findIndex((step) => step.id === id);
    if (n >= 0) return { step: steps[n], next: steps[n + 1] };
  }
  return null;
}

/**
 * Start a match for a step; the user is player 1.
 *
 * @param {LadderStep} step
 */
export function startStep({ id, variant, first, character }) {
  const seats = [{ name: progress().name ?? "" }, { bot: character }];
  return createMatch({ variant, first, rounds: 1, seats, clock: null, assist: "on" }, id);
}

/** Show the next step of every ladder, the first one without stars; the ladder of the last game comes first. */
export async function showLadders() {
  try {
    const last = bookOf(progress().games?.at(-1)?.variant ?? "");
    const ladders = (await loadLadders()).toSorted(
      (a, b) => Number(b.book === last) - Number(a.book === last),
    );
    const rows = ladders.map(ladderRow);
    const shown = ladders[0]?.book === last ? 1 : rows.length;
    $("ladder-steps").replaceChildren(...rows.slice(0, shown));
    $("ladder-others").replaceChildren(...rows.slice(shown));
    $("ladder-more").hidden = shown === rows.length;
    $("ladder").hidden = false;
  } catch {
    // The page is shown without ladders.
  }
}

/** @param {Ladder} ladder */
function ladderRow({ steps }) {
  const stars = progress().ladder ?? {};
  const step = steps.find(({ id }) => !stars[id]) ?? steps[steps.length - 1];
  const total = steps.reduce((sum, { id }) => sum + (stars[id] ?? 0), 0);
  const row = element("li");
  const text = element("div", "grow");
  const place = `Step ${steps.indexOf(step) + 1} of ${steps.length}`;
  const heading = element("h3", "", step.title);
  heading.append(element("span", "soft", total ? `${place}, ${pluralize(total, "star")}` : place));
  text.append(heading, element("p", "soft", step.introduction));
  const play = button("button main", "Play", () => {
    clearError($("ladder-trouble"));
    return whileBusy(play, () =>
      startStep(step).catch((error) => showError($("ladder-trouble"), error)),
    );
  });
  play.ariaLabel = `Play ${step.title}`;
  row.append(text, play);
  return row;
}
