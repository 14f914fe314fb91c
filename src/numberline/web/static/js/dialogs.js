// @ts-check
// Modal dialogs.

import { button, element } from "./dom.js";

/**
 * Open a dialog and, once it is closed, resolve with its return value: "" unless a button set another.
 *
 * @param {string} title
 * @param {Node[]} content
 * @param {{ focus?: HTMLElement, describedBy?: HTMLElement, light?: boolean }} [options] light: a click outside closes it
 * @returns {Promise<string>}
 */
export function openDialog(title, content, { focus, describedBy, light = false } = {}) {
  const dialog = element("dialog", "ask");
  const heading = element("h2", "", title);
  heading.id = "dialog-title";
  dialog.setAttribute("aria-labelledby", heading.id);
  if (describedBy) {
    describedBy.id = "dialog-description";
    dialog.setAttribute("aria-describedby", describedBy.id);
  }
  dialog.append(heading, ...content);
  if (light) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  focus?.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/**
 * A button that closes the dialog it is in.
 *
 * @param {string} className
 * @param {string} text
 * @param {string} [value] the dialog's return value
 */
export function closeButton(className, text, value = "") {
  const made = button(className, text, () => made.closest("dialog")?.close(value));
  return made;
}

/**
 * The row of buttons at the end of a dialog.
 *
 * @param {HTMLElement[]} buttons
 */
export function dialogFoot(...buttons) {
  const foot = element("div", "row-end");
  foot.append(...buttons);
  return foot;
}

/**
 * A control with its label.
 *
 * @param {string} text
 * @param {HTMLElement} control
 */
export function labelled(text, control) {
  const label = element("label", "field");
  label.append(element("span", "", text), control);
  return label;
}

/**
 * A text field for a player's name.
 *
 * @param {string} value
 */
export function nameField(value) {
  const field = element("input");
  Object.assign(field, { type: "text", maxLength: 30, autocomplete: "nickname", value });
  return field;
}

/**
 * Ask a yes-or-no question, and resolve with whether the answer was yes.
 *
 * @param {string} title
 * @param {string} text
 * @param {string} yes
 * @param {string} [no]
 */
export async function confirmAction(title, text, yes, no = "Keep playing") {
  const description = element("p", "", text);
  const stay = closeButton("", no);
  const foot = dialogFoot(stay, closeButton("danger", yes, "yes"));
  const answer = await openDialog(title, [description, foot], {
    focus: stay,
    describedBy: description,
  });
  return answer === "yes";
}
