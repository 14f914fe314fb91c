// The invitation for whoever is still missing, and the question for a name; loaded only where somebody is missing.
//
//   showWait(host, state)            the link for a friend with Copy and a QR code, as long as a seat is free
//   askName(title, about)            a name, kept in this browser; null where somebody would rather just watch

import { forgetInvites, invitesOf } from "./begin.js";
import { button, copy, element, recall, remember, toast } from "./dom.js";
import { api, post } from "./net.js";

let waited = "";

export function showWait(host, { match, you, book }) {
  const free = match.seats.filter((seat) => !seat.taken).map((seat) => seat.player);
  const invites = invitesOf(match.id).filter((invite) => free.includes(invite.seat));
  if (!free.length) forgetInvites(match.id);
  const key = free.length && you.length ? invites.map((invite) => invite.url).join() || "none" : "";
  host.hidden = !key;
  if (key === waited) return;
  waited = key;
  host.replaceChildren(...(key ? invites.length ? invites.flatMap((invite) => invitation(invite, free.length > 1 ? book.players[invite.seat - 1].name : "")) : [missing()] : []));
  if (invites.length) tellReach(host);
}

function missing() {
  return element("p", "", "Somebody has still to come. The link for them is in the browser that made this game.");
}

function invitation({ url }, seat) {
  const words = element("div"), line = element("div", "link"), field = element("input"), picture = element("img");
  field.type = "text";
  field.readOnly = true;
  field.value = url;
  field.setAttribute("aria-label", "The link for your friend");
  field.addEventListener("focus", () => field.select());
  line.append(field, button("main", "Copy", async () => toast((await copy(url)) ? "The link is copied. Send it to your friend." : "Please copy the link by hand.")));
  words.append(element("h2", "", seat ? `Waiting for ${seat}` : "Waiting for your friend"), element("p", "", "Send this link. Whoever opens it and sits down first plays against you."), line);
  picture.alt = "The same link as a QR code, to be scanned with a phone";
  picture.hidden = true;
  showCode(picture, url);
  return [words, picture];
}

async function showCode(picture, url) {
  try {
    const drawn = await post("/api/qr", { url });
    picture.src = `data:image/svg+xml,${encodeURIComponent(drawn)}`;
    picture.hidden = false;
  } catch {
    // The link alone will do.
  }
}

async function tellReach(host) {
  try {
    const server = await api("GET", "/api/server");
    if (server.local_only) host.firstElementChild.append(element("small", "", server.sentence));
  } catch {
    // The link alone will do.
  }
}

export function askName(title, about) {
  return new Promise((resolve) => {
    const made = element("dialog", "ask"), form = element("form"), heading = element("h2", "", title), field = element("input"), line = element("label", "field"), foot = element("div", "row-end");
    heading.id = "name-title";
    made.setAttribute("aria-labelledby", heading.id);
    form.method = "dialog";
    Object.assign(field, { type: "text", maxLength: 30, value: recall("name", ""), autocomplete: "nickname", name: "name" });
    line.append(element("span", "", "Your name"), field);
    const sit = element("button", "main", "Sit down");
    sit.value = "sit";
    foot.append(button("", "Just watch", () => made.close()), sit);
    form.append(line, foot);
    const words = element("p", "", about);
    words.id = "name-about";
    made.setAttribute("aria-describedby", words.id);
    made.append(heading, words, form);
    made.addEventListener("close", () => {
      made.remove();
      if (made.returnValue !== "sit") return resolve(null);
      const name = field.value.trim();
      if (name) remember("name", name);
      resolve(name);
    });
    document.body.append(made);
    made.showModal();
    field.focus();
  });
}
