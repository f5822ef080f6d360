import type { IncomingMessage } from "node:http";

/** The names that always mean this machine. A page that rebinds its own name to loopback still sends that name. */
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

const OTHER_SITE = "Pages of other sites may not send requests to the local stack.";

/**
 * Why a request is refused, or undefined if it is allowed. Listening on loopback keeps out other machines, but not
 * pages that are open in a developer's browser: browsers send simple requests without a preflight (Fetch standard,
 * "CORS-safelisted method" and "CORS-safelisted request-header"), and DNS rebinding makes the responses readable. A
 * link from another site may open a page: it changes nothing, and the other site cannot read it.
 *
 * Programs send neither `Origin` nor `Sec-Fetch-Site`. Browsers send the latter to loopback over http too
 * (Fetch Metadata: to potentially trustworthy URLs).
 */
export function refusalOf({ method, headers }: IncomingMessage): string | undefined {
  const { host = "", origin } = headers;
  const address = `http://${host}`;
  if (!URL.canParse(address) || !LOOPBACK.has(new URL(address).hostname)) {
    return "Call the local stack by a loopback name: 127.0.0.1, localhost or [::1].";
  }
  if (origin !== undefined && origin !== address) return OTHER_SITE;
  const site = headers["sec-fetch-site"];
  const isLink = method === "GET" && headers["sec-fetch-mode"] === "navigate";
  return !isLink && (site === "cross-site" || site === "same-site") ? OTHER_SITE : undefined;
}
