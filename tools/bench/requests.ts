import { newEndpointId } from "#contract/identifiers";
import { runtime } from "#runtime/runtime";
import { aProxyEvent } from "../../test/builders/proxy-event.ts";
import { aRealisticSubmission } from "./submissions.ts";

const json = { "Content-Type": "application/json" };
const candidateId = `staged_${"0".repeat(26)}`;
const endpointId = newEndpointId(runtime);

/** What every function that a caller waits for is asked, and those that no caller waits for. */
export const REQUESTS: Readonly<Record<string, unknown>> = {
  "create-candidate": aProxyEvent({ headers: json, body: aRealisticSubmission() }),
  "find-candidate": aProxyEvent({ query: { externalId: ["ext-1001"] } }),
  "get-candidate": aProxyEvent({ id: candidateId }),
  "amend-candidate": aProxyEvent({ id: candidateId, headers: json, body: { headline: "Analyst" } }),
  "request-erasure": aProxyEvent({ id: candidateId, headers: json, body: { externalId: "ext-1001" } }),
  "create-webhook-endpoint": aProxyEvent({
    headers: json,
    body: { url: "https://hooks.example.com/", eventTypes: ["candidate.received"] },
  }),
  "list-webhook-endpoints": aProxyEvent({}),
  "get-webhook-endpoint": aProxyEvent({ id: endpointId }),
  "update-webhook-endpoint": aProxyEvent({ id: endpointId, headers: json, body: { active: true } }),
  "delete-webhook-endpoint": aProxyEvent({ id: endpointId }),
  "test-webhook-endpoint": aProxyEvent({ id: endpointId }),
  "rotate-signing-secret": aProxyEvent({ id: endpointId }),
  "list-webhook-deliveries": aProxyEvent({ id: endpointId }),
  "resend-webhook-delivery": aProxyEvent({ id: endpointId }),
  "authorize-request": {
    headers: { "X-API-Key": "rr_dev_00000000000000000000000000000000000000" },
    methodArn: "arn:aws:execute-api:us-east-1:000000000000:api/development/GET/v1/candidates",
  },
  "publish-events": { Records: [] },
  "deliver-aside": { Records: [] },
  "deliver-webhook": { Records: [] },
  "retry-webhook": { Records: [] },
};
