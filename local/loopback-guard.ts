import type { IncomingMessage } from "node:http";

/** The names of this machine alone. A page that rebinds its own name to loopback still sends that name. */
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

const OTHER_SITE = "A page of another site may not send requests to the local stack.";

/**
 * Why a request is refused, or undefined when it may pass. Listening on loopback keeps other machines out, but
 * not the pages that a developer has open: a browser sends their simple requests without asking first (Fetch
 * standard, "CORS-safelisted method" and "CORS-safelisted request-header"), and a rebound name makes the
 * responses readable. A link from another site may open a page: it changes nothing, and its site cannot read it.
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
