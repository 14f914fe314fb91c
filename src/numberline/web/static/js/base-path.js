// @ts-check
// The path below which the server is reached, such as "/games"; "" at the root of a host.

const BASE = globalThis.document?.documentElement?.dataset.base ?? "";

/**
 * The address of a path of the server; links elsewhere stay as they are.
 *
 * @param {string} path
 */
export const serverUrl = (path) => (path.startsWith("/") ? BASE + path : path);

/** The path of this page, without the base path. */
export const pagePath = () => location.pathname.slice(BASE.length);
