import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

/** An active endpoint of candidate.received, as the table has it. */
export function anEndpoint(id: string, url: string): StoredEndpoint {
  return {
    id,
    orgId: "acme",
    url,
    eventTypes: ["candidate.received"],
    active: true,
    createdAt: "2026-01-01T00:00:00.000Z",
    description: null,
    version: 1,
    sealedSecret: "1.bench",
    sealingKeyId: "1",
  };
}
