import * as z from "zod/mini";
import { AllowedNetworks, isIn, NetworkInCidr } from "#webhooks/endpoints/delivery-address";

/**
 * Where a function reaches what surrounds it, and never a receiver: Lambda's API for the function itself (AWS Lambda
 * developer guide, "Runtime API") is on loopback, which Linux also connects to by an unspecified address; the daemon
 * for traces, and in other environments credentials, are on link-local addresses. An IPv4-mapped address is any of
 * them.
 */
const OWN_NETWORKS = AllowedNetworks.parse(
  "0.0.0.0/8,127.0.0.0/8,169.254.0.0/16,::/127,::ffff:0:0/96,fe80::/10",
);

/** A network, as text, that deliveries may reach although it is not public. */
export const ReceiverNetwork = NetworkInCidr.check(
  z.refine(
    (network) => !overlapsOwn(network),
    "a network without loopback and link-local addresses is expected, where functions reach Lambda itself",
  ),
);

function overlapsOwn(network: string): boolean {
  const parsed = AllowedNetworks.safeParse(network);
  // Another check reports it.
  if (!parsed.success) return false;
  return parsed.data.some(([address, bits]) =>
    OWN_NETWORKS.some(([own, ownBits]) => isIn(address, [own, Math.min(bits, ownBits)])),
  );
}
