// @ts-check
// Input of text files that the user chooses, or drops on part of the page.

/**
 * @param {HTMLInputElement} input
 * @param {HTMLElement} zone where files can be dropped
 * @param {number} maxLetters
 * @param {(text: string, name: string) => unknown} onText
 * @param {(sentence: string) => unknown} onError
 */
export function acceptFile(input, zone, maxLetters, onText, onError) {
  /** @param {File | undefined} file */
  const read = async (file) => {
    if (!file) return;
    input.value = ""; // so that the same file can be chosen again after a change
    if (file.size > 4 * maxLetters) {
      return onError(`${file.name} is too big. A file can have up to ${maxLetters} letters.`);
    }
    const text = await file.text();
    if (/[\0\ufffd]/.test(text))
      return onError(`${file.name} isn't a text file. Choose another one.`);
    onText(text, file.name);
  };
  input.addEventListener("change", () => read(input.files?.[0]));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("dropping");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("dropping"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("dropping");
    const text = event.dataTransfer?.getData("text/plain");
    if (event.dataTransfer?.files.length) read(event.dataTransfer.files[0]);
    else if (text) onText(text, "");
  });
}
