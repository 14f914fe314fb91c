// What every page does with the document. Data only ever gets in as text, never as markup.
//
//   $(id)                              the element with this id
//   element(name, kind?, text?)        a new element with a class and a text
//   button(kind, text, onClick)        a new button
//   redraw(host, made)                 puts new children into an element; the focus stays on the same button, else on the element
//   tag(name, attributes)              a new SVG element
//   fill(text, names)                  "{1} moves" with the real names, in one pass
//   listed(words, last = "and")        "a, b and c"
//   status(text)                       says a sentence to screen readers, in the page's one live region (#status)
//   toast(text)                        shows a sentence for a while, and says it
//   copy(text)                         copies to the clipboard; false where the browser won't
//   remember(key, value), recall(key, otherwise), forget(key)   kept in this browser, as JSON, where it lets us
//   motion()                           whether things may move

const NS = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

export function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text !== undefined && text !== null) made.textContent = text;
  return made;
}

export function button(kind, text, onClick) {
  const made = element("button", kind, text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

export function redraw(host, made) {
  const all = () => [...host.querySelectorAll("a, button")], held = all().indexOf(document.activeElement);
  host.replaceChildren(...made);
  if (held < 0) return;
  host.tabIndex = -1;
  (all()[held] ?? host).focus({ preventScroll: true });
}

export function tag(name, attributes = {}) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export function fill(text, names) {
  return (text ?? "").replace(/\{(\d)\}/g, (whole, number) => names[number - 1] ?? whole);
}

export function listed(words, last = "and") {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

export function status(text) {
  const region = $("status");
  if (region) region.textContent = text;
}

let fading = 0;

export function toast(text) {
  let host = $("toast");
  if (!host) {
    host = element("div", "toast");
    host.id = "toast";
    host.setAttribute("aria-hidden", "true"); // it is said by the live region
    document.body.append(host);
  }
  host.textContent = text;
  host.hidden = false;
  status(text);
  clearTimeout(fading);
  fading = setTimeout(() => { host.hidden = true; }, 2500 + 60 * text.length);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOldWay(text);
  }
}

// Browsers give the clipboard only to pages that came by a safe way; a page in the local network copies from a field.
function copyOldWay(text) {
  const field = element("textarea", "hide");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

export function remember(key, value) {
  try {
    localStorage.setItem(`numberline.${key}`, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still plays.
  }
}

export function recall(key, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(`numberline.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function forget(key) {
  try {
    localStorage.removeItem(`numberline.${key}`);
  } catch {
    // Nothing was kept.
  }
}

export const motion = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;
