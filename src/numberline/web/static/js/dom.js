// @ts-check
// DOM helpers. Data enters the document only as text, never as markup.

import { serverUrl } from "./base-path.js";
import { operationText, starText } from "./text.js";

/** Elements with text to be typed, in which operations aren't shown as on paper. */
const TYPED = ["code", "kbd", "textarea"];
const SVG_NS = "http://www.w3.org/2000/svg";

/**
 * Return the element with this id, which must be of this type.
 *
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [type]
 * @returns {T}
 */
export function $(id, type = /** @type {new () => T} */ (HTMLElement)) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no ${type.name} with the id ${id}`);
  return found;
}

/**
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {string} [className]
 * @param {string | number} [text]
 */
export function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = TYPED.includes(name) ? String(text) : operationText(String(text));
  return made;
}

/**
 * @param {string} className
 * @param {string} text
 * @param {(event: MouseEvent) => unknown} onClick
 */
export function button(className, text, onClick) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

/**
 * @param {string} className
 * @param {string} text
 * @param {string} href
 */
export function link(className, text, href) {
  const made = element("a", className, text);
  made.href = serverUrl(href);
  return made;
}

/**
 * @param {string} value
 * @param {string} text
 */
export function option(value, text) {
  const made = element("option", "", text);
  made.value = value;
  return made;
}

/**
 * Create an SVG element.
 *
 * @template {keyof SVGElementTagNameMap} N
 * @param {N} name
 * @param {Record<string, string | number>} [attributes]
 */
export function svg(name, attributes = {}) {
  const made = document.createElementNS(SVG_NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string | number} content
 * @param {string} [className]
 */
export function svgText(x, y, content, className) {
  const made = svg("text", className ? { x, y, class: className } : { x, y });
  made.textContent = operationText(String(content));
  return made;
}

/**
 * Set aria-disabled. Unlike `disabled`, it leaves a button in the tab order, so that users can find out why.
 *
 * @param {Element} target
 * @param {boolean} disabled
 */
export function setDisabled(target, disabled) {
  if (disabled) target.setAttribute("aria-disabled", "true");
  else target.removeAttribute("aria-disabled");
}

/**
 * Run something for a button, once at a time; meanwhile the button keeps the focus.
 *
 * @param {Element} pressed
 * @param {() => unknown} run
 */
export async function whileBusy(pressed, run) {
  if (pressed.ariaDisabled) return;
  setDisabled(pressed, true);
  try {
    await run();
  } finally {
    setDisabled(pressed, false);
  }
}

/**
 * Replace the children of an element unless they would look the same, because a button that is being pressed must stay
 * in the document. The focus stays on the button with the same text or, if there is none, in the same place.
 *
 * @param {HTMLElement} host
 * @param {Node[]} children
 */
export function replaceChildren(host, children) {
  const shown = [...host.childNodes];
  const same = (/** @type {Node} */ child, /** @type {number} */ n) => child.isEqualNode(shown[n]);
  if (shown.length === children.length && children.every(same)) return;
  const controls = () => [
    .../** @type {NodeListOf<HTMLElement>} */ (host.querySelectorAll("a, button")),
  ];
  const before = controls();
  const focused = before.findIndex((control) => control === document.activeElement);
  host.replaceChildren(...children);
  if (focused < 0) return;
  const text = before[focused].textContent;
  const after = controls();
  host.tabIndex = -1;
  const target = after.find((control) => control.textContent === text) ?? after[focused] ?? host;
  target.focus({ preventScroll: true });
}

/**
 * Scroll down until an element is in view, but leave another one in view.
 *
 * @param {Element} target
 * @param {Element} kept
 */
export function scrollToShow(target, kept) {
  const reserved = parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom) || 0;
  const hidden = target.getBoundingClientRect().bottom - (innerHeight - reserved);
  const top = Math.min(hidden, kept.getBoundingClientRect().top);
  if (top > 0) scrollBy({ top, behavior: motionAllowed() ? "smooth" : "auto" });
}

/** Keep the page at least as long as it is scrolled now, so that it doesn't move when something on it goes away. */
export function keepScroll() {
  document.body.style.minHeight = scrollY ? `${Math.ceil(scrollY + innerHeight)}px` : "";
}

/**
 * Stars that screen readers read as words.
 *
 * @param {number} stars
 */
export function starImage(stars) {
  const made = element("span", "stars", starText(stars));
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", `${stars} of 3 stars`);
  return made;
}

/**
 * Have screen readers read a sentence aloud, through the page's live region.
 *
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById("status");
  if (region) region.textContent = operationText(text);
}

let toastTimer = 0;

/**
 * Show a sentence for a while, and have screen readers read it aloud.
 *
 * @param {string} text
 */
export function toast(text) {
  let host = document.getElementById("toast");
  if (!host) {
    host = element("div", "toast");
    host.id = "toast";
    host.setAttribute("aria-hidden", "true"); // the live region reads it
    document.body.append(host);
  }
  const shown = host;
  shown.textContent = operationText(text);
  shown.hidden = false;
  placeToast(shown);
  announce(text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (shown.hidden = true), 2500 + 60 * text.length);
}

const TOAST_STEP_PX = 8;

/**
 * Move a toast up from the bottom of the screen until it covers neither a control nor the turn; leave it there if there is no such place.
 *
 * @param {HTMLElement} shown
 */
function placeToast(shown) {
  shown.style.translate = "";
  const controls = [...document.querySelectorAll("a, button, input, select, textarea, #now")].map(
    (control) => control.getBoundingClientRect(),
  );
  const { left, right, top, bottom } = shown.getBoundingClientRect();
  for (let up = 0; up < top; up += TOAST_STEP_PX) {
    const covers = controls.some(
      (box) =>
        box.width > 0 &&
        box.left < right &&
        box.right > left &&
        box.top < bottom - up &&
        box.bottom > top - up,
    );
    if (covers) continue;
    shown.style.translate = `0 ${-up}px`;
    return;
  }
}

/**
 * Copy text to the clipboard; return false if the browser doesn't allow it.
 *
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromField(text);
  }
}

/**
 * Copy text without the clipboard API, which needs a secure context; a page on a local network isn't one.
 *
 * @param {string} text
 */
function copyFromField(text) {
  const focused = document.activeElement;
  const field = element("textarea", "hide");
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}

export const motionAllowed = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Wait for something, but not on a hidden page, where timers are slow and animations never end.
 *
 * @param {Promise<unknown>} work
 */
export async function whileVisible(work) {
  if (document.hidden) return;
  const done = new AbortController();
  const hidden = new Promise((resolve) =>
    document.addEventListener("visibilitychange", resolve, { signal: done.signal }),
  );
  await Promise.race([work, hidden]);
  done.abort();
}

/** @param {number} ms */
export const pause = (ms) => whileVisible(new Promise((resolve) => setTimeout(resolve, ms)));
