import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector, errors } from "undici";
import { AddressRefused, NameNotResolved } from "#webhooks/delivery/attempt-failure";
import { withoutInterimResponses } from "#webhooks/delivery/interim-responses";
import { rememberBrokenOnReuse } from "#webhooks/delivery/reused-connections";
import { isDeliverable, type Network } from "#webhooks/endpoints/delivery-address";

/** The timeout for connecting, in ms. */
const CONNECT_TIMEOUT_MS = 3_000;
/**
 * How long to wait for one of a host's addresses before the next one is tried, in ms. Node's default, 250 ms, is too
 * short for a receiver on another continent (Node.js, "net", `autoSelectFamilyAttemptTimeout`).
 */
const ADDRESS_TIMEOUT_MS = 1_000;

/** Connects only to addresses that deliveries may reach. */
export function guardedConnector(allowed: readonly Network[]): buildConnector.connector {
  const deliverableAddresses: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true, order: "ipv4first" }, (error, addresses) => {
      if (error) return callback(new NameNotResolved({ cause: error }), []);
      const deliverable = addresses.filter(({ address }) => isDeliverable(address, allowed));
      const [first] = deliverable;
      if (!first) return callback(new AddressRefused(), []);
      return options.all ? callback(null, deliverable) : callback(null, first.address, first.family);
    });
  };
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    allowH2: false,
    lookup: deliverableAddresses,
  });
  return (options, callback) => {
    // undici passes an IPv6 address without its brackets.
    const host = options.hostname;
    const isLiteral = isIP(host) !== 0;
    // A literal address is never looked up, so it is checked here.
    if (isLiteral && !isDeliverable(host, allowed)) return callback(new AddressRefused(), null);
    // TLS has server names without a dot at the end (RFC 6066 section 3), and some receivers refuse one with it.
    const servername = isLiteral ? "" : host.replace(/\.$/, "");
    let isTooLate = false;
    // undici's timers count in half seconds, so its timeout, which closes the socket, is up to a second late.
    const timer = setTimeout(() => {
      isTooLate = true;
      callback(new errors.ConnectTimeoutError(), null);
    }, CONNECT_TIMEOUT_MS);
    connect({ ...options, servername }, (...connected) => {
      clearTimeout(timer);
      const [error, socket] = connected;
      if (isTooLate) socket?.destroy();
      else if (error) callback(error, null);
      else callback(null, withoutInterimResponses(socket, rememberBrokenOnReuse));
    });
  };
}
