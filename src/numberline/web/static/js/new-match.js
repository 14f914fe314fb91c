// @ts-check
// Creation of matches, and the invitations that this browser can share.

import { post } from "./api.js";
import { serverUrl } from "./base-path.js";
import { rememberStep } from "./progress.js";
import { load, remove, save } from "./storage.js";

/** @import { CreateMatchRequest, CreateMatchResponse, Invite } from "./messages.d.ts" */

/**
 * Create a match, store its invitations, and open its page.
 *
 * @param {CreateMatchRequest} wanted
 * @param {string} [step] the ladder step that it is, if any
 */
export async function createMatch(wanted, step = "") {
  /** @type {CreateMatchResponse} */
  const created = await post("/api/matches", wanted);
  if (created.invites.length) save(`invites.${created.match}`, created.invites);
  if (step) rememberStep(created.match, step);
  location.assign(serverUrl(`/play/${created.match}`));
}

/**
 * @param {string} match
 * @returns {Invite[]}
 */
export const storedInvites = (match) => load(`invites.${match}`, []);

/** @param {string} match */
export const removeInvites = (match) => remove(`invites.${match}`);
