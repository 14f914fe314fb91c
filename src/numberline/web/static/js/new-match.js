// @ts-check
// Creation of matches, and the invitations that this browser can share.

import { post } from "./api.js";
import { serverUrl } from "./base-path.js";
import { load, remove, save } from "./storage.js";

/** @import { CreateMatchRequest, CreateMatchResponse, Invite } from "./messages.d.ts" */

/**
 * Create a match, store its invitations, and open its page.
 *
 * @param {CreateMatchRequest} wanted
 */
export async function createMatch(wanted) {
  /** @type {CreateMatchResponse} */
  const created = await post("/api/matches", wanted);
  if (created.invites.length) save(`invites.${created.match}`, created.invites);
  location.assign(serverUrl(`/play/${created.match}`));
}

/**
 * @param {string} match
 * @returns {Invite[]}
 */
export const storedInvites = (match) => load(`invites.${match}`, []);

/** @param {string} match */
export const removeInvites = (match) => remove(`invites.${match}`);
