import { CONTRACT_VERSION } from "#contract/events";

/** The body of a candidate.received event, as a delivery posts it. */
export function anEventBody({
  id,
  occurredAt,
}: {
  readonly id: string;
  readonly occurredAt: string;
}): string {
  return JSON.stringify({
    id,
    type: "candidate.received",
    apiVersion: CONTRACT_VERSION,
    occurredAt,
    sequence: 1,
    data: {
      stagedId: `staged_${"0".repeat(26)}`,
      id: null,
      externalId: "partner-1001",
      status: "received",
      verificationStatus: "in_review",
      availabilityStatus: "pending",
    },
  });
}
