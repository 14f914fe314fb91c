// @ts-check
// The dialog for the settings stored in this browser; loaded on demand.

import { closeButton, dialogFoot, openDialog } from "./dialogs.js";
import { element, option } from "./dom.js";
import { currentTheme, isOn, setSetting, setTheme } from "./settings.js";

/** @import { SettingName, Theme } from "./settings.js" */

/** @param {Record<SettingName, { title: string, help: string }>} settings */
export function showSettings(settings) {
  const rows = Object.entries(settings).map(([name, { title, help }]) =>
    settingRow(/** @type {SettingName} */ (name), title, help),
  );
  openDialog("Settings", [...rows, themeRow(), dialogFoot(closeButton("main", "Done"))], {
    light: true,
  });
}

/**
 * @param {SettingName} name
 * @param {string} title
 * @param {string} help
 */
function settingRow(name, title, help) {
  const row = element("label", "choice");
  const box = element("input");
  const text = element("span");
  box.type = "checkbox";
  box.checked = isOn(name);
  box.addEventListener("change", () => setSetting(name, box.checked));
  text.append(element("b", "", title), element("small", "", help));
  row.append(box, text);
  return row;
}

/** A theme chosen here or at the top of the page stays until the user follows the device again. */
function themeRow() {
  const row = element("label", "choice");
  const select = element("select");
  select.append(
    option("system", "like this device"),
    option("light", "light"),
    option("dark", "dark"),
  );
  select.value = currentTheme();
  select.addEventListener("change", () => setTheme(/** @type {Theme} */ (select.value)));
  row.append(element("b", "", "Colours"), select);
  return row;
}
