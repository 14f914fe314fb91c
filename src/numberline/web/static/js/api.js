// @ts-check
// The HTTP API.

import { serverUrl } from "./base-path.js";
import { plainError } from "./error-text.js";

/** A request that failed; the message is the server's sentence, in words for the page. */
export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {string} sentence
   */
  constructor(code, sentence) {
    super(sentence);
    this.code = code;
  }
}

/**
 * Send a request and return the JSON or text of the response; throw an ApiError if the request fails.
 *
 * @param {"GET" | "POST" | "DELETE"} method
 * @param {string} path
 * @param {unknown} [body]
 */
async function request(method, path, body) {
  const options =
    body === undefined ? { method } : { method, headers: JSON_HEADERS, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(serverUrl(path), options);
  } catch {
    throw new ApiError(
      "offline",
      "The server isn't answering. Check that it's still running, then try again.",
    );
  }
  const text = await response.text();
  const data = parseJson(text);
  if (response.ok) return data ?? text;
  const sentence = data?.sentence ?? "That didn't work. Try again in a moment."; // a proxy's error page isn't JSON
  throw new ApiError(data?.code ?? "unknown", plainError(sentence));
}

const JSON_HEADERS = { "Content-Type": "application/json" };

/** @param {string} path */
export const get = (path) => request("GET", path);

/**
 * @param {string} path
 * @param {unknown} body
 */
export const post = (path, body) => request("POST", path, body);

/** @param {string} path */
export const del = (path) => request("DELETE", path);

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Return the sentence to show for anything that was thrown.
 *
 * @param {unknown} error
 */
export const errorText = (error) => (error instanceof Error ? error.message : String(error));

/**
 * @param {unknown} error
 * @param {string[]} codes
 */
export const hasCode = (error, ...codes) => error instanceof ApiError && codes.includes(error.code);

/** @param {string} id */
export const matchPath = (id) => `/api/matches/${encodeURIComponent(id)}`;

/** @param {string} variant */
export const bookPath = (variant) => `/api/books/${encodeURIComponent(variant)}`;

/**
 * @param {string} variant
 * @param {string} position
 */
export const positionPath = (variant, position) =>
  `${bookPath(variant)}/positions?p=${encodeURIComponent(position)}`;
