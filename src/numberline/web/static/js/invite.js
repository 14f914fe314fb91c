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
 * Show the invitations for the free seats; a watcher with an invitation can still join.
 *
 * @param {HTMLElement} host
 * @param {MatchState} state
 * @param {() => unknown} onJoin
 */
export function renderInvites(host, { match, you, book, invited }, onJoin) {
  const free = match.seats.filter((seat) => !seat.taken && !match.ended).map((seat) => seat.player);
  const invites = storedInvites(match.id).filter((invite) => free.includes(invite.seat));
  if (match.seats.every((seat) => seat.taken)) removeInvites(match.id);
  const urls = invites.map((invite) => invite.url).join() || "none";
  const key = !free.length ? "" : you.length ? urls : invited ? "invited" : "";
  host.hidden = !key;
  if (key === shownInvites) return;
  shownInvites = key;
  const text = "Waiting for a player to join. The link is in the browser that started this game.";
  if (!key) host.replaceChildren();
  else if (key === "invited") {
    const box = element("div");
    box.append(element("h2", "", "You're watching"), element("p", "", "The seat is still free."));
    host.replaceChildren(box, button("main", "Join the game", onJoin));
  } else if (!invites.length) host.replaceChildren(element("p", "", text));
  else {
    const name = (/** @type {Invite} */ { seat }) =>
      free.length > 1 ? book.players[seat - 1].name : "your friend";
    const parts = invites.map((invite) => renderInvite(invite.url, name(invite), book.title));
    host.replaceChildren(...parts.flatMap(({ box, picture }) => [box, picture]));
    showReach(parts);
  }
}

/** @typedef {{ url: string, box: HTMLElement, picture: HTMLImageElement }} InviteParts */

/**
 * @param {string} url
 * @param {string} name
 * @param {string} game
 * @returns {InviteParts}
 */
function renderInvite(url, name, game) {
  const box = element("div");
  const row = element("div", "link");
  const field = element("input");
  const picture = element("img");
  field.type = "text";
  field.readOnly = true;
  field.value = url;
  field.setAttribute("aria-label", "The link for your friend");
  field.addEventListener("focus", () => field.select());
  const copy = button("", "Copy", () => copyLink(url));
  if ("share" in navigator) row.append(field, copy, shareButton(url, game));
  else row.append(field, copy);
  row.lastElementChild?.classList.add("main");
  const text = "Send this link. The first person who opens it and joins plays against you.";
  box.append(element("h2", "", `Waiting for ${name}`), element("p", "", text), row);
  picture.alt = "The same link as a QR code. Scan it with a phone.";
  picture.hidden = true;
  return { url, box, picture };
}

/**
 * A button that opens the share sheet of the device, or copies the link if that fails.
 *
 * @param {string} url
 * @param {string} game
 */
function shareButton(url, game) {
  return button("", "Share", async () => {
    try {
      await navigator.share({ title: game, text: `Play ${game} with me!`, url });
    } catch (error) {
      const closed = error instanceof DOMException && error.name === "AbortError";
      if (!closed) await copyLink(url);
    }
  });
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
 * Add QR codes of the links, or a sentence about how to open the server to others if only this machine can reach it.
 *
 * @param {InviteParts[]} invites
 */
async function showReach(invites) {
  try {
    /** @type {ServerInfo} */
    const server = await get("/api/server");
    if (server.local_only) return invites[0].box.append(element("small", "", server.sentence));
    await Promise.all(invites.map(showCode));
  } catch {
    // The link is enough.
  }
  return undefined;
}

/** @param {InviteParts} invite */
async function showCode({ url, picture }) {
  picture.src = `data:image/svg+xml,${encodeURIComponent(await post("/api/qr", { url }))}`;
  picture.hidden = false;
}

/**
 * Ask for the user's name and store it; resolve with null if the user doesn't want to play.
 *
 * @param {string} title
 * @param {string} text
 * @param {{ yes: string, no: string }} [buttons]
 */
export async function askName(title, text, { yes, no } = { yes: "Join", no: "Just watch" }) {
  const form = element("form");
  const field = element("input");
  const label = element("label", "field");
  const join = element("button", "main", yes);
  const description = element("p", "", text);
  form.method = "dialog";
  const attributes = { type: "text", maxLength: 30, autocomplete: "nickname", name: "name" };
  Object.assign(field, { ...attributes, value: progress().name ?? "" });
  label.append(element("span", "", "Your name"), field);
  join.value = "join";
  form.append(label, dialogFoot(closeButton("", no), join));
  const answer = await openDialog(title, [description, form], {
    focus: field,
    describedBy: description,
  });
  if (answer !== "join") return null;
  const name = field.value.trim();
  saveName(name);
  return name;
}
