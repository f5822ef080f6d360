import type { DeliveryAttempt } from "../../../lib/contract/webhook-delivery.ts";

const EARLIER = "it was sent before the stack started, or too long ago";

/** Why the console has no request of an attempt. */
export function missingRequestText({ failure }: DeliveryAttempt): string {
  switch (failure) {
    case "address_refused":
    case "name_not_resolved":
      return "Nothing was sent.";
    // The receiver may have read a request before it closed the connection or let it time out.
    case "connection_failed":
    case "timeout":
    case "tls_failed":
      return `The request is not available: there was no connection, or ${EARLIER}.`;
    default:
      return `The request is no longer available: ${EARLIER}.`;
  }
}
