import * as z from "zod/mini";
import { WebhookEndpointRegistration } from "#contract/webhook-endpoint";
import { isDeliverable, isIn, type Network, parseAddress } from "#webhooks/endpoints/delivery-address";

// RFC 6762, RFC 8375 and the reservation of .internal: names that never resolve to a public host.
const LOCAL_NAME = /(?:^|\.)(?:local|internal|home\.arpa)\.?$/i;
// RFC 6761 section 6.3: names that resolve to the loopback address.
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;
const LOOPBACK = "127.0.0.1";
/**
 * A name that can be resolved: labels of 1 to 63 octets, and at most 253 in all without a dot at the end (RFC 1035
 * section 2.3.4). The resolver of Lambda's runtime (glibc, `res_hnok`) only resolves names of letters, digits, `-` and
 * `_`, and none that begins with `-`.
 */
const RESOLVABLE_NAME = /^(?!-)(?=.{1,253}\.?$)[\w-]{1,63}(?:\.[\w-]{1,63})*\.?$/;
/** At least two labels, in a name that can be resolved. */
const PUBLIC_NAME = /\../;

const HTTPS_PORT = 443;
const HTTP_PORT = 80;
/** RFC 6335 section 6: lower ports are system ports, used by services other than webhook receivers. */
const FIRST_USER_PORT = 1024;

/**
 * The `url` of a webhook endpoint as the contract has it, at an address that deliveries may connect to: https (or http
 * in an allowed network), no user info, a host name or a public literal address in any notation, and a port that a
 * receiver may use.
 */
export function deliverableUrl(allowed: readonly Network[]) {
  const deliverable = z.string().check(({ value, issues }) => {
    const expected = expectedOfUrl(value, allowed);
    if (expected) issues.push({ code: "custom", input: value, message: `${expected} is expected` });
  });
  return z.pipe(WebhookEndpointRegistration.shape.url, deliverable);
}

/** What is expected of a URL that deliveries may not connect to; undefined for any other. */
function expectedOfUrl(url: string, allowed: readonly Network[]): string | undefined {
  const parsed = URL.parse(url);
  // RFC 3986 allows hosts and ports that the URL parser refuses.
  if (!parsed) return "a URL with a host and port that can be connected to";
  const { protocol, hostname, port } = parsed;
  // The URL parser has already converted decimal, octal, hex and short notations to dotted ones.
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = parseAddress(host);
  const isAllowedLocal = address
    ? allowed.some((network) => isIn(address, network))
    : LOOPBACK_NAME.test(host) && isDeliverable(LOOPBACK, allowed);
  if (protocol !== "https:" && !isAllowedLocal) return "an https URL";
  const usedPort = port === "" ? defaultPortOf(protocol) : Number(port);
  if (usedPort !== HTTPS_PORT && usedPort < FIRST_USER_PORT) {
    return `port ${HTTPS_PORT}, or ${FIRST_USER_PORT} and above,`;
  }
  if (!address && !RESOLVABLE_NAME.test(host)) {
    return "a host name that can be resolved, of at most 253 characters, in labels of 1 to 63 letters, digits, - and _, not beginning with -,";
  }
  if (isAllowedLocal) return undefined;
  const isPublic = address
    ? isDeliverable(host, [])
    : PUBLIC_NAME.test(host) && !LOCAL_NAME.test(host) && !LOOPBACK_NAME.test(host);
  return isPublic ? undefined : "a public host";
}

/** The port of a URL that names none, or its default: the URL parser removes that one. */
function defaultPortOf(protocol: string): number {
  return protocol === "https:" ? HTTPS_PORT : HTTP_PORT;
}
