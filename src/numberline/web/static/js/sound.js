// @ts-check
// Soft knocking sounds, synthesized without audio files. Silent unless sound is turned on.

import { isOn } from "./settings.js";

const NOTES_HZ = {
  mine: [392],
  theirs: [294],
  won: [392, 494, 587],
  lost: [330, 262],
  refused: [160],
};
const NOTE_S = 0.13;

/** @type {AudioContext | null} */
let context = null;

/** @param {keyof typeof NOTES_HZ} kind */
export function playSound(kind) {
  if (!isOn("sound")) return;
  try {
    const audio = (context ??= new AudioContext());
    NOTES_HZ[kind].forEach((hz, n) => playNote(audio, hz, audio.currentTime + n * NOTE_S));
  } catch {
    // The browser doesn't support sound; play silently.
  }
}

/**
 * @param {AudioContext} audio
 * @param {number} hz
 * @param {number} start
 */
function playNote(audio, hz, start) {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  oscillator.type = "triangle";
  oscillator.frequency.setValueAtTime(hz * 1.5, start);
  oscillator.frequency.exponentialRampToValueAtTime(hz, start + 0.04);
  volume.gain.setValueAtTime(0.22, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.22);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + 0.24);
}
