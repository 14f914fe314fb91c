// @ts-check
// The form for a variant's settings, built from the server's description of them.

import { $, element, option } from "./dom.js";

/** @import { Setting } from "./messages.d.ts" */

const TYPING_PAUSE_MS = 250;
const SETTINGS_IN_VIEW = 5; // a book's main settings come first; the others are folded away below them

export class SettingsForm {
  /**
   * @param {HTMLElement} host
   * @param {(setting: Setting, value: string) => unknown} onChange
   */
  constructor(host, onChange) {
    this.host = host;
    this.onChange = onChange;
    this.timer = 0;
    this.names = "";
  }

  /** @param {Setting[]} settings */
  show(settings) {
    const names = settings.map(({ name }) => name).join();
    if (names !== this.names) this.#renderFields(settings);
    this.names = names;
    for (const setting of settings) this.#update(setting);
  }

  /** @param {string} name */
  markInvalid(name) {
    for (const each of this.host.querySelectorAll("[aria-invalid]"))
      each.removeAttribute("aria-invalid");
    document.getElementById(`value-${name}`)?.setAttribute("aria-invalid", "true");
  }

  /** @param {Setting[]} settings */
  #renderFields(settings) {
    const first = element("div", "settings");
    const others = element("div", "settings");
    const more = element("details");
    first.append(
      ...settings.slice(0, SETTINGS_IN_VIEW).map((setting) => this.#renderField(setting)),
    );
    others.append(...settings.slice(SETTINGS_IN_VIEW).map((setting) => this.#renderField(setting)));
    more.append(
      element("summary", "", `${settings.length - SETTINGS_IN_VIEW} more settings`),
      others,
    );
    const wasOpen = this.host.querySelector("details")?.open ?? false;
    more.open = wasOpen || settings.slice(SETTINGS_IN_VIEW).some(isChanged);
    this.host.replaceChildren(first, more);
  }

  /** @param {Setting} setting */
  #renderField(setting) {
    const { name, title, kind, choices } = setting;
    const host = element("div", "setting");
    const label = element("label", "", title);
    const help = element("small");
    const field = isPicked(setting) ? element("select") : element("input");
    host.id = `setting-${name}`;
    label.htmlFor = field.id = `value-${name}`;
    help.id = `help-${name}`;
    field.setAttribute("aria-describedby", help.id);
    field.setAttribute("autocomplete", "off");
    field.spellcheck = false;
    const options = choices.map((choice) => option(choice.value, choice.title));
    if (field instanceof HTMLSelectElement) {
      field.append(...options);
      host.append(label, wrapSelect(field));
    } else {
      setInputType(field, setting);
      host.append(label, field);
    }
    if (kind === "place") {
      const list = element("datalist");
      list.id = `ideas-${name}`;
      list.append(...options);
      field.setAttribute("list", list.id);
      host.append(list);
    }
    host.append(help);
    field.addEventListener(isPicked(setting) ? "change" : "input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(
        () => this.onChange(setting, field.value),
        isPicked(setting) ? 0 : TYPING_PAUSE_MS,
      );
    });
    return host;
  }

  /**
   * Show the value of a setting, unless the user is typing there.
   *
   * @param {Setting} setting
   */
  #update(setting) {
    const field = /** @type {HTMLInputElement | HTMLSelectElement} */ ($(`value-${setting.name}`));
    const changed = isChanged(setting);
    if (document.activeElement !== field) field.value = setting.value;
    if (field instanceof HTMLSelectElement) showPicked(field);
    field.removeAttribute("aria-invalid");
    field.disabled = !setting.changeable && !changed;
    $(`setting-${setting.name}`).classList.toggle("changed", changed);
    $(`help-${setting.name}`).textContent = field.disabled
      ? "No other value works with these settings."
      : helpText(setting);
  }
}

/**
 * Cover a select with its text, because a select cuts long texts off.
 *
 * @param {HTMLSelectElement} select
 */
function wrapSelect(select) {
  const host = element("div", "picker");
  const text = element("span");
  text.setAttribute("aria-hidden", "true");
  host.append(text, select);
  select.addEventListener("change", () => showPicked(select));
  return host;
}

/** @param {HTMLSelectElement} select */
function showPicked(select) {
  const text = select.previousElementSibling;
  if (text) text.textContent = select.selectedOptions[0]?.textContent ?? "";
}

/** @param {Setting} setting */
const isChanged = ({ value, default: original }) => value !== original;

/** @param {Setting} setting */
const isPicked = ({ kind }) => kind === "choice" || kind === "yes-no";

/**
 * @param {HTMLInputElement} field
 * @param {Setting} setting
 */
function setInputType(field, { kind, low, high }) {
  field.type = kind === "number" ? "number" : "text";
  if (kind !== "number") return;
  if (low !== null) field.min = String(low);
  if (high !== null) field.max = String(high);
}

/** @param {Setting} setting */
function helpText(setting) {
  // A list of values has a title for each of them.
  const text = isPicked(setting) ? setting.help.replace(/:.*$/, ".") : valueText(setting);
  // The place that a default stands for depends on the settings in the form, so it isn't that of the book.
  const original = titleOf(setting, setting.default).replace(/, \d+$/, "");
  return isChanged(setting) ? `${text} In the book: ${original}.` : text;
}

/**
 * @param {Setting} setting
 * @param {string} value
 */
const titleOf = ({ choices }, value) =>
  choices.find((choice) => choice.value === value)?.title ?? value;

/**
 * Return a description of the valid values, without limits so high that no one reaches them.
 *
 * @param {Setting} setting
 */
const valueText = ({ example }) => example.replace(/ up to \d{7,}/, "");

/**
 * Return an error about settings with the titles that the form shows.
 *
 * @param {string} sentence
 * @param {Setting[]} settings
 */
export function titledError(sentence, settings) {
  const known = (/** @type {string} */ name) => settings.find((setting) => setting.name === name);
  const named = known(/^“([\w-]+)”/.exec(sentence)?.[1] ?? "");
  return sentence
    .replace(/^“[\w-]+”/, (found) => (named ? `“${named.title}”` : found))
    .replace(/(can't be|It must be) ([\w-]+)/g, (found, verb, value) => {
      const title = named && titleOf(named, value);
      return title && title !== value ? `${verb} “${title}”` : found;
    })
    .replace(/\b([a-z]+)=/g, (found, name) => {
      const other = known(name);
      return other ? `“${other.title}” to ` : found;
    });
}
