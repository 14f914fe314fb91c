// Soft knocks, made on the spot: no files. Silent unless somebody switched the sound on.
//
//   knock("mine" | "theirs" | "won" | "lost" | "refused")

import { chosen } from "./settings.js";

const NOTES = { mine: [392], theirs: [294], won: [392, 494, 587], lost: [330, 262], refused: [160] };
let context = null;

export function knock(kind) {
  if (!chosen("sound")) return;
  try {
    context ??= new AudioContext();
    NOTES[kind].forEach((note, n) => sound(note, context.currentTime + n * 0.13));
  } catch {
    // A browser without sound plays in silence.
  }
}

function sound(note, at) {
  const tone = context.createOscillator(), loud = context.createGain();
  tone.type = "triangle";
  tone.frequency.setValueAtTime(note * 1.5, at);
  tone.frequency.exponentialRampToValueAtTime(note, at + 0.04);
  loud.gain.setValueAtTime(0.22, at);
  loud.gain.exponentialRampToValueAtTime(0.001, at + 0.22);
  tone.connect(loud).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.24);
}
