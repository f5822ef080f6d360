import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import { InvalidRequest } from "#contract/errors";

/** A network in CIDR notation that deliveries may reach although it is not public. */
type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The environment variable that lists such networks, separated by commas; usually empty. */
export const AllowedNetworks = z.pipe(
  z.string(),
  z.transform((list) =>
    list
      .split(",")
      .filter((network) => network !== "")
      .map((network): Network => ipaddr.parseCIDR(network)),
  ),
);

// IPv4-compatible addresses (RFC 4291 section 2.5.5.1, deprecated), which ipaddr.js takes for unicast.
const IPV4_COMPATIBLE: Network = ipaddr.parseCIDR("::/96");

// RFC 6762, RFC 8375 and the reservation of .internal: names that never mean a public host.
const LOCAL_NAME = /(?:^|\.)(?:local|internal|home\.arpa)\.?$/i;
// RFC 6761 section 6.3: names that mean the loopback address.
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;
const LOOPBACK = "127.0.0.1";

/**
 * Whether a delivery may connect to an address: a public unicast one, or one in the networks allowed.
 * Judge the very address that is connected to: a name may resolve differently from one call to the next.
 */
export function isDeliverable(address: string, allowed: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (allowed.some((network) => isIn(parsed, network))) return true;
  return parsed.range() === "unicast" && !isIn(parsed, IPV4_COMPATIBLE);
}

/**
 * Judges the URL of a webhook endpoint when it is registered: https (http too into an allowed network),
 * no user info, and a host name or a public literal address in any notation.
 *
 * @throws InvalidRequest saying what is expected
 */
export function assertDeliverableUrl(url: string, allowed: readonly Network[]): void {
  const { protocol, hostname, username, password } = new URL(url);
  // The URL parser has already turned decimal, octal, hex and short spellings into dotted ones.
  const host = hostname.replace(/^\[|\]$/g, "");
  const isLiteral = isIP(host) !== 0;
  const isAllowedLocal = isLiteral
    ? allowed.some((network) => isIn(ipaddr.process(host), network))
    : LOOPBACK_NAME.test(host) && isDeliverable(LOOPBACK, allowed);
  if (username || password) throw new InvalidRequest("url: a URL without user name and password is expected");
  if (protocol !== "https:" && !isAllowedLocal) throw new InvalidRequest("url: an https URL is expected");
  if (isAllowedLocal) return;
  const isPublic = isLiteral
    ? isDeliverable(host, [])
    : host.replace(/\.$/, "").includes(".") && !LOCAL_NAME.test(host) && !LOOPBACK_NAME.test(host);
  if (!isPublic) throw new InvalidRequest("url: a public host is expected");
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
