// @ts-check
// Invitations: the link for a friend, and the dialog that asks for a name. Loaded only while a seat is free.

import { get, post } from "./api.js";
import { closeButton, dialogFoot, openDialog } from "./dialogs.js";
import { button, copyText, element, toast } from "./dom.js";
import { removeInvites, storedInvites } from "./new-match.js";
import { progress, saveName } from "./progress.js";

/** @import { MatchState } from "./match-state.js" */
/** @import { Invite, ServerInfo } from "./messages.d.ts" */

let shownInvites = "";

/**
 * Show the invitations for the free seats, but none to a watcher.
 *
 * @param {HTMLElement} host
 * @param {MatchState} state
 */
export function renderInvites(host, { match, you, book }) {
  const free = match.seats.filter((seat) => !seat.taken).map((seat) => seat.player);
  const invites = storedInvites(match.id).filter((invite) => free.includes(invite.seat));
  if (!free.length) removeInvites(match.id);
  const key = free.length && you.length ? invites.map((invite) => invite.url).join() || "none" : "";
  host.hidden = !key;
  if (key === shownInvites) return;
  shownInvites = key;
  const text = "Waiting for a player to join. The link is in the browser that started this game.";
  if (!key) host.replaceChildren();
  else if (!invites.length) host.replaceChildren(element("p", "", text));
  else {
    const name = (/** @type {Invite} */ { seat }) =>
      free.length > 1 ? book.players[seat - 1].name : "your friend";
    host.replaceChildren(...invites.flatMap((invite) => renderInvite(invite.url, name(invite))));
    showReach(host);
  }
}

/**
 * @param {string} url
 * @param {string} name
 */
function renderInvite(url, name) {
  const box = element("div");
  const row = element("div", "link");
  const field = element("input");
  const picture = element("img");
  field.type = "text";
  field.readOnly = true;
  field.value = url;
  field.setAttribute("aria-label", "The link for your friend");
  field.addEventListener("focus", () => field.select());
  row.append(
    field,
    button("main", "Copy", () => copyLink(url)),
  );
  const text = "Send this link. The first person who opens it and joins plays against you.";
  box.append(element("h2", "", `Waiting for ${name}`), element("p", "", text), row);
  picture.alt = "The same link as a QR code. Scan it with a phone.";
  picture.hidden = true;
  showCode(picture, url);
  return [box, picture];
}

/** @param {string} url */
async function copyLink(url) {
  toast(
    (await copyText(url))
      ? "Link copied. Send it to your friend."
      : "Please copy the link by hand.",
  );
}

/**
 * @param {HTMLImageElement} picture
 * @param {string} url
 */
async function showCode(picture, url) {
  try {
    picture.src = `data:image/svg+xml,${encodeURIComponent(await post("/api/qr", { url }))}`;
    picture.hidden = false;
  } catch {
    // The link is enough.
  }
}

/** @param {HTMLElement} host */
async function showReach(host) {
  try {
    /** @type {ServerInfo} */
    const server = await get("/api/server");
    if (server.local_only) host.firstElementChild?.append(element("small", "", server.sentence));
  } catch {
    // The link is enough.
  }
}

/**
 * Ask for the user's name and store it; resolve with null if the user only wants to watch.
 *
 * @param {string} title
 * @param {string} text
 */
export async function askName(title, text) {
  const form = element("form");
  const field = element("input");
  const label = element("label", "field");
  const join = element("button", "main", "Join");
  const description = element("p", "", text);
  form.method = "dialog";
  const attributes = { type: "text", maxLength: 30, autocomplete: "nickname", name: "name" };
  Object.assign(field, { ...attributes, value: progress().name ?? "" });
  label.append(element("span", "", "Your name"), field);
  join.value = "join";
  form.append(label, dialogFoot(closeButton("", "Just watch"), join));
  const answer = await openDialog(title, [description, form], {
    focus: field,
    describedBy: description,
  });
  if (answer !== "join") return null;
  const name = field.value.trim();
  saveName(name);
  return name;
}
