import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import { InvalidRequest } from "#contract/errors";

/** A network in CIDR notation that deliveries may reach although it is not public. */
type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The environment variable that lists such networks, separated by commas; usually empty. */
export const AllowedNetworks = z.pipe(
  z.pipe(
    z.string(),
    z.transform((networks) => networks.split(",").filter((network) => network !== "")),
  ),
  z.pipe(
    z.array(z.string().check(z.refine((network) => ipaddr.isValidCIDR(network)))),
    z.transform((networks) => networks.map((network): Network => ipaddr.parseCIDR(network))),
  ),
);

// RFC 4291 section 2.4: the part of IPv6 that is in use for global unicast.
const GLOBAL_UNICAST: Network = ipaddr.parseCIDR("2000::/3");

// RFC 6762, RFC 8375 and the reservation of .internal: names that never mean a public host.
const LOCAL_NAME = /(?:^|\.)(?:local|internal|home\.arpa)\.?$/i;
// RFC 6761 section 6.3: names that mean the loopback address.
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;
const LOOPBACK = "127.0.0.1";
/** Two labels or more, none of them empty. */
const PUBLIC_NAME = /^[^.]+(?:\.[^.]+)+\.?$/;

/**
 * Whether a delivery may connect to an address: a public unicast one, or one in the networks allowed.
 * Judge the very address that is connected to: a name may resolve differently from one call to the next.
 */
export function isDeliverable(address: string, allowed: readonly Network[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  if (allowed.some((network) => isIn(parsed, network))) return true;
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || isIn(parsed, GLOBAL_UNICAST));
}

/** An address, a mapped one as the IPv4 address that it means; undefined when it is none. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (isIP(address) === 6) {
    // ipaddr.js takes `::8.8.8.8` for the mapped `::ffff:8.8.8.8`; in the URL parser's spelling it does not.
    const spelled = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
    return spelled ? ipaddr.process(spelled) : undefined;
  }
  return isIP(address) === 4 ? ipaddr.parse(address) : undefined;
}

const HTTPS_PORT = "443";
/** RFC 6335 section 6: below it are the system ports, where other services than receivers listen. */
const FIRST_USER_PORT = 1024;

/**
 * Judges the URL of a webhook endpoint when it is registered: https (http too into an allowed network),
 * no user info, a host name or a public literal address in any notation, and a port that a receiver may have.
 *
 * @throws InvalidRequest saying what is expected
 */
export function assertDeliverableUrl(url: string, allowed: readonly Network[]): void {
  const parsed = URL.parse(url);
  // A URI whose host or port no URL can have: RFC 3986 allows more of both.
  if (!parsed)
    throw new InvalidRequest("url: a URL with a host and port that can be connected to is expected");
  const { protocol, hostname, port, username, password } = parsed;
  // The URL parser has already turned decimal, octal, hex and short spellings into dotted ones.
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = parseAddress(host);
  const isAllowedLocal = address
    ? allowed.some((network) => isIn(address, network))
    : LOOPBACK_NAME.test(host) && isDeliverable(LOOPBACK, allowed);
  if (username || password) throw new InvalidRequest("url: a URL without user name and password is expected");
  if (protocol !== "https:" && !isAllowedLocal) throw new InvalidRequest("url: an https URL is expected");
  if (port !== "" && port !== HTTPS_PORT && Number(port) < FIRST_USER_PORT) {
    throw new InvalidRequest(`url: port ${HTTPS_PORT}, or ${FIRST_USER_PORT} and above, is expected`);
  }
  if (isAllowedLocal) return;
  const isPublic = address
    ? isDeliverable(host, [])
    : PUBLIC_NAME.test(host) && !LOCAL_NAME.test(host) && !LOOPBACK_NAME.test(host);
  if (!isPublic) throw new InvalidRequest("url: a public host is expected");
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
