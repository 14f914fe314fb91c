// @ts-check
// The path under which the server is reached, such as "/games"; "" if it is at the root of its host.

const BASE = globalThis.document?.documentElement?.dataset.base ?? "";

/**
 * Return the address of a path on this server; links to other sites are left unchanged.
 *
 * @param {string} path
 */
export const serverUrl = (path) => (path.startsWith("/") ? BASE + path : path);

/** The path of this page, without the base path. */
export const pagePath = () => location.pathname.slice(BASE.length);
