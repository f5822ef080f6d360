import type { IncomingMessage } from "node:http";

/** The names of this machine alone. A page that rebinds its own name to loopback still sends that name. */
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Why a request is not answered, or undefined when it may be: the console's buttons act, and other sites
 * that a developer has open must neither press them nor read what it shows.
 */
export function refusalOf({ method, headers }: IncomingMessage): string | undefined {
  const { host = "", origin } = headers;
  const address = `http://${host}`;
  if (!URL.canParse(address) || !LOOPBACK.has(new URL(address).hostname)) {
    return "Open the console by a loopback address, as http://127.0.0.1:3000/console.";
  }
  if (origin !== undefined && origin !== address) return "Only the console's own page may ask for this.";
  const site = headers["sec-fetch-site"];
  const isLink = method === "GET" && headers["sec-fetch-mode"] === "navigate";
  if (!isLink && (site === "cross-site" || site === "same-site")) {
    return "Only the console's own page may ask for this.";
  }
  return undefined;
}
