// @ts-check
// Whether the user works with the keyboard. A script that moves the focus after a tap must not draw a ring around it.

const KEY = "numberline.keyboard";
const { dataset } = document.documentElement;

/** @param {boolean} on */
function setKeyboard(on) {
  if (usesKeyboard() === on) return;
  if (on) dataset.keyboard = "";
  else delete dataset.keyboard;
  try {
    sessionStorage.setItem(KEY, String(on)); // the next page begins as this one ends
  } catch {
    // Storage is switched off.
  }
}

export const usesKeyboard = () => "keyboard" in dataset;

function storedKeyboard() {
  try {
    return sessionStorage.getItem(KEY) === "true";
  } catch {
    return false;
  }
}

setKeyboard(storedKeyboard());
addEventListener("keydown", () => setKeyboard(true), true);
addEventListener("pointerdown", () => setKeyboard(false), true);
