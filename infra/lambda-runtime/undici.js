/**
 * The parts of undici that post webhooks. Its index also loads fetch, WebSocket, mocks and caches, a quarter of the
 * bundle. Paths, because an alias also replaces imports of a package's files.
 */
export { default as buildConnector } from "../../node_modules/undici/lib/core/connect.js";
export { default as errors } from "../../node_modules/undici/lib/core/errors.js";
export { default as Agent } from "../../node_modules/undici/lib/dispatcher/agent.js";
