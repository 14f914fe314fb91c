// Messages from the server and their parts, and messages from a page. docs/protocol.md explains their meaning.

// Parts. Sentences contain {1}, {2}, … in place of players' names: see fillNames in text.js.

export interface Player {
  player: number;
  label: string;
  name: string;
}

export interface Book {
  variant: string;
  title: string;
  about: string;
  line: [number, number];
  places: [number, number];
  goals: { place: number; player: number; label: string }[];
  players: Player[];
  tokens: number;
  shared: boolean;
  sums: boolean;
  nouns: { place: string; token: string };
  choices: string[];
  goal: string;
  /** The rule that makes the game, and what the variant changes. */
  rule: string;
}

export interface Token {
  player: number;
  place: number;
  label: string;
}

interface ChoiceParts {
  move: string;
  leads: string;
  result: "" | "wins" | "loses" | "out";
  why_not: string;
  note: string;
  spoken: string;
}

/** A move in which no token moves, such as skipping a turn. */
interface TokenlessChoice extends ChoiceParts {
  legal: boolean;
  token: null;
  place: null;
  wanted: null;
  lands: null;
}

interface LegalChoice extends ChoiceParts {
  legal: true;
  token: number;
  place: number;
  wanted: number;
  lands: number;
}

interface IllegalChoice extends ChoiceParts {
  legal: false;
  token: number;
  place: number;
  wanted: number;
  lands: null;
}

export type Choice = TokenlessChoice | LegalChoice | IllegalChoice;

export interface Outcome {
  winner: number;
  reason: string;
}

export interface Position {
  position: string;
  turn: number;
  tokens: Token[];
  places: (number | null)[];
  out: number[];
  banned: string;
  choices: Choice[];
  outcome: Outcome | null;
  said: string;
}

export interface Worth {
  value: "win" | "loss" | "endless" | "open";
  letter: string;
  shape: string;
  colour: string;
  turns: number | null;
  winner: number;
  said: string;
}

export interface MoveValue {
  move: string;
  worth: Worth;
  best: boolean;
}

export interface Values {
  position: string;
  worth: Worth | null;
  moves: MoveValue[];
}

/** What the board needs to draw the last move. */
export interface TracedPly {
  player: number;
  move: string;
  place: number | null;
  lands: number | null;
  told: string;
}

export interface Ply extends TracedPly {
  /** Where the token would have landed if nothing had been in the way. */
  wanted: number | null;
  number: number;
  position: string;
  said: string;
}

/** Everything the board and the keypad need to draw one position. */
export interface BoardView {
  book: Book;
  position: Position;
  values: Values | null;
  ply: TracedPly | null;
}

export interface Mark {
  symbol: string;
  word: string;
  comment: string;
  better: string[];
}

/** The player who could force a win at one point in a game, and the number of turns it would take. */
export interface Point {
  winner: number;
  plies: number | null;
}

// A match

export interface Seat {
  player: number;
  name: string;
  bot: string | null;
  taken: boolean;
  present: boolean;
}

export type OfferKind = "takeback" | "rematch";

export interface Offer {
  what: OfferKind;
  seat: number;
}

export interface ClockData {
  seconds: number;
  increment: number;
  left: number[];
  running: number;
}

export type Assist = "off" | "after" | "on";

export interface Match {
  id: string;
  variant: string;
  own_book: boolean;
  practice: boolean;
  seats: Seat[];
  first: number;
  start: string;
  tossed: boolean;
  round: number;
  rounds: number;
  score: number[];
  outcome: Outcome | null;
  undo: boolean;
  resign: boolean;
  offers: Offer[];
  clock: ClockData | null;
  assist: Assist;
  rematch: string | null;
  ended: boolean;
  /** The next opponent's level for each result, if the user plays against a computer level. */
  next_levels: { won: number; drawn: number; lost: number } | null;
  watching: number;
  log: Ply[];
  marks?: Mark[];
  series?: Point[];
  turning?: string;
  turning_at?: number;
}

/** The end of a game as this browser's player sees it. */
export interface Ending {
  winner: number;
  headline: string;
  stars: number | null;
  missing: string;
  moment: string;
  /** The mistake that the player can try again. */
  retry: { ply: number; position: string; better: string[]; said: string } | null;
  choices: string[];
}

// WebSocket, from the server

/** The whole match: sent first, and again after every change that isn't simply a move. */
export interface Snapshot {
  kind: "table";
  seq: number;
  you: number[];
  book: Book;
  match: Match;
  position: Position;
  values: Values | null;
}

/** A move. The plural fields are present if lost turns followed automatically; the marks, if values are shown. */
export interface MoveEvent {
  kind: "event";
  seq: number;
  seat: number;
  what: string;
  ply: Ply;
  plies?: Ply[];
  position: Position;
  values: Values | null;
  outcome: Outcome | null;
  clock: ClockData | null;
  mark?: Mark;
  marks?: Mark[];
  point?: Point;
  points?: Point[];
  turning?: string;
  turning_at?: number;
}

export interface Ack {
  kind: "ack";
  request: string;
  seq: number;
}

export interface Answer {
  kind: "answer";
  request: string;
  what: "hint" | "move" | "why";
  text: string;
  move: string;
}

export interface ErrorMessage {
  kind: "error";
  request: string | null;
  code: string;
  sentence: string;
  seq: number | null;
}

export interface Presence {
  kind: "presence";
  seats: boolean[];
  watching: number;
}

export interface Goodbye {
  kind: "goodbye";
  sentence: string;
}

export type ServerMessage = Snapshot | MoveEvent | Ack | Answer | ErrorMessage | Presence | Goodbye;

// WebSocket, from the page. The socket adds the request id.

export type ClientMessage = { seq: number } & (
  | { kind: "move"; move: string }
  | { kind: "resign" | "next" }
  | { kind: "offer" | "accept" | "decline" | "withdraw"; what: OfferKind }
  | { kind: "ask"; what: "hint" | "move" | "why" }
);

// HTTP

export type SeatRequest = { name: string } | { bot: string } | null;

export interface CreateMatchRequest {
  variant: string;
  source?: string;
  first: number | "toss";
  rounds: number;
  seats: SeatRequest[];
  clock: { seconds: number; increment: number } | null;
  assist: Assist;
  start?: string;
}

export interface Invite {
  seat: number;
  url: string;
}

export interface CreateMatchResponse {
  match: string;
  seat: number;
  token: string | null;
  invites: Invite[];
}

export interface PositionResponse {
  position: Position;
  values: Values | null;
}

export interface BookCard {
  book: Book;
  goal: string;
  position: Position;
}

export interface Setting {
  name: string;
  title: string;
  kind: "number" | "place" | "choice" | "yes-no" | "moves";
  value: string;
  default: string;
  choices: { value: string; title: string }[];
  low: number | null;
  high: number | null;
  help: string;
  example: string;
  changeable: boolean;
}

export interface RulesSection {
  heading: string;
  text: string;
}

export interface BookResponse {
  book: Book;
  opening: string;
  rules: RulesSection[];
  changes: string;
  settings: Setting[];
  position: Position;
  size: number;
  solved: boolean;
  source: string | null;
}

export interface OpponentsResponse {
  opponents: { bot: string; title: string; name: string; about: string }[];
  note: string;
  favoured: number;
}

export interface Puzzle {
  variant: string;
  title: string;
  book: Book;
  goal: string;
  position: Position;
  question: string;
  nudge: string;
  rating: number;
  theme: "win" | "trap" | "save" | "colour";
  theme_title: string;
  stars: number;
  new_rule: string;
  intro: string;
  cells: StripCell[];
  moves: number;
}

export interface PuzzleAnswer {
  right: boolean;
  verdict: string;
  text: string;
  answer: string;
  steps: { move: string; text: string; position: Position }[];
  new_rating: number | null;
  done: boolean;
  next: Position | null;
  question: string;
  cells: StripCell[];
  new_stars: number;
}

export interface StripCell {
  key: number;
  label: string;
  mark: "win now" | "good" | "safe" | "trap" | "jumps" | "";
  jumps: number;
  gate: "left" | "right" | "";
}

export interface Strip {
  caption: string;
  on_line: boolean;
  cells: StripCell[];
}

export interface PaintQuestion {
  cell: StripCell;
  position: Position;
  question: string;
  options: string[];
  paint: string;
  text: string;
  strip: Strip;
}

export interface LessonStep {
  number: number;
  title: string;
  text: string;
  position: Position;
  exercise: { question: string; position: Position } | null;
  questions: PaintQuestion[];
  strip: Strip | null;
}

export interface Lesson {
  variant: string;
  title: string;
  book: Book;
  tries: number;
  steps: LessonStep[];
  secret: string;
  game: { bot: string; seat: number; first: number };
  invitation: string;
}

export interface LessonAnswer {
  right: boolean;
  text: string;
  position: Position;
  answers: string[];
}

export interface LadderStep {
  id: string;
  title: string;
  new: string;
  variant: string;
  character: string;
  side: "first" | "second";
  first: number;
  /** The title with the number of the step. */
  heading: string;
  introduction: string;
}

export interface Ladder {
  book: string;
  steps: LadderStep[];
}

export interface Review {
  book: Book;
  own_book: boolean;
  source: string | null;
  names: string[];
  first: number;
  start: string;
  log: Ply[];
  outcome: Outcome | null;
  result: string;
  marks: Mark[];
  series: Point[];
  curve: number[];
  accuracies: { player: number; percent: number; said: string }[];
  turning: string;
  turning_at: number;
  sentence: string;
}

// A player's progress. `progress/document.py` and `progress/events.py` of the server define it.

export interface FinishedGame {
  id: string;
  variant: string;
  title: string;
  /** What the variant changes, or "". */
  changes: string;
  /** The last position: see `renderSmallBoard`. */
  board: string;
  won: boolean | null;
  opponent: string;
  stars: number;
  practice: boolean;
  day: string | null;
  moment: string;
  record: string;
}

export interface PuzzleStats {
  asked: number;
  solved: number;
  streak: number;
  best_streak: number;
  rating: number;
  stars: number;
  daily_day: string | null;
  daily: (boolean | null)[];
}

export interface Progress {
  version: number;
  name: string;
  name_asked: boolean;
  day: string | null;
  day_streak: number;
  ladder: Record<string, number>;
  lessons: Record<string, number>;
  levels: Record<string, number>;
  starts: Record<string, number>;
  opponents: Record<string, string>;
  puzzles: PuzzleStats;
  games: FinishedGame[];
}

export type ProgressEvent =
  | { kind: "match"; match: string; day: string; helped: boolean; step?: string }
  | {
      kind: "puzzle";
      day: string;
      right: boolean;
      rating: number;
      stars: number;
      tries: number;
      daily_day?: string;
      index?: number;
    }
  | { kind: "lesson"; day: string; variant: string; helped: boolean; mistakes: number }
  | { kind: "name"; name: string };

export interface ProgressChanges {
  stars: number;
  streak: number;
  /** The new level of the chameleon; 0 if it didn't change. */
  level: number;
  sentences: string[];
}

export interface ProgressReply {
  document: Progress;
  changes: ProgressChanges;
  /** What happened to a damaged document, or "". */
  notice: string;
  greeting: string;
  /** The line to share once all daily puzzles are answered, or "". */
  share: string;
  /** The document as text for another device. */
  text: string;
}

export interface ServerInfo {
  public_url: string;
  local_only: boolean;
  sentence: string;
}
