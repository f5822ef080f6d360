import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import * as z from "zod/mini";

/** A network in CIDR notation that deliveries may reach although it is not public. */
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Such a network, as text. */
export const NetworkInCidr = z
  .string()
  .check(z.refine((network) => isWholeCidr(network), "a network such as 10.1.0.0/16 is expected"));

/** The environment variable that lists such networks, separated by commas. Usually empty. */
export const AllowedNetworks = z.pipe(
  z.pipe(
    z.string(),
    z.transform((networks) => networks.split(",").filter((network) => network !== "")),
  ),
  z.pipe(
    z.array(NetworkInCidr),
    z.transform((networks) => networks.map((network): Network => ipaddr.parseCIDR(network))),
  ),
);

/** ipaddr.js also accepts shortened and octal addresses, and reads 10/8 as 0.0.0.10/8. */
function isWholeCidr(network: string): boolean {
  const [address = ""] = network.split("/");
  return isIP(address) !== 0 && ipaddr.isValidCIDR(network);
}

// RFC 4291 section 2.4: the part of IPv6 in use for global unicast.
const GLOBAL_UNICAST: Network = ipaddr.parseCIDR("2000::/3");

/**
 * Whether a delivery may connect to an address: a public unicast one, or one in the allowed networks. Check the
 * address that is actually connected to: a name may resolve differently from one call to the next.
 */
export function isDeliverable(address: string, allowed: readonly Network[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  if (allowed.some((network) => isIn(parsed, network))) return true;
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || isIn(parsed, GLOBAL_UNICAST));
}

/** Parses an address. An IPv4-mapped one is special, whatever it maps. Undefined if it is not an address. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (isIP(address) === 6) {
    // ipaddr.js parses `::8.8.8.8` as the mapped `::ffff:8.8.8.8`, unless it is in the URL parser's notation.
    const normalised = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
    return normalised ? ipaddr.parse(normalised) : undefined;
  }
  return isIP(address) === 4 ? ipaddr.parse(address) : undefined;
}

/** Whether an address is in a network. */
export function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
