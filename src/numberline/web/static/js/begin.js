// Begins a match, and knows what fits whom.
//
//   await begin(order)           makes the match (see POST /api/matches), keeps its invitations in this browser, and goes there
//   invitesOf(match), forgetInvites(match)
//   levelFor(variant)            the level of the computer that fits: 3 at first, one up after a win, one down after a loss
//   keepLevel(variant, level)
//   botName(bot)                 "computer, level 3"

import { forget, recall, remember } from "./dom.js";
import { post } from "./net.js";

const FIRST = 3, LOWEST = 1, HIGHEST = 10;

export async function begin(order) {
  const made = await post("/api/matches", order);
  if (made.invites.length) remember(`invites.${made.match}`, made.invites);
  location.assign(`/play/${made.match}`);
}

export const invitesOf = (match) => recall(`invites.${match}`, []);
export const forgetInvites = (match) => forget(`invites.${match}`);

const bookOf = (variant) => variant.split("(")[0];
export const levelFor = (variant) => recall("levels", {})[bookOf(variant)] ?? FIRST;

export function keepLevel(variant, level) {
  const kept = Math.max(LOWEST, Math.min(HIGHEST, level));
  remember("levels", { ...recall("levels", {}), [bookOf(variant)]: kept });
  return kept;
}

export function botName(bot) {
  const [kind, level] = bot.split(":");
  return kind === "level" ? `computer, level ${level}` : `computer, ${kind}`;
}
