import { afterEach, beforeEach, expect, vi } from "vitest";
import { CandidateServiceClient, CandidateServiceError, type ClientOptions } from "../../client/src/index.ts";
import { aService, responds, type Step } from "./scripted-service.ts";

export const RECEIPT = { stagedId: "staged_1", externalId: "ext-1", status: "received", receivedAt: "now" };
export const ENDPOINT = { id: "whe_1", url: "https://example.com", active: true };
export const CREATED_ENDPOINT = { ...ENDPOINT, signingSecret: "whsec_1" };
export const created = responds(201, RECEIPT);
export const record = responds(200, { id: "staged_1", firstName: "Ada" }, { ETag: '"v1"' });

/** A client of a service that does these steps. */
export async function aClientOf(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const service = await aService(...steps);
  const client = new CandidateServiceClient({
    baseUrl: service.baseUrl,
    apiKey: "rr_dev_secret",
    ...options,
  });
  return { ...service, client };
}

export async function failureOf(call: Promise<unknown>): Promise<CandidateServiceError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CandidateServiceError);
  return error as CandidateServiceError;
}

export const register = (client: CandidateServiceClient) =>
  client.createWebhookEndpoint({ url: "https://example.com", eventTypes: ["candidate.received"] });

/** Retries without backoff in the tests of a file, which wait only for what they are about. */
export function retryWithoutBackoff(): void {
  beforeEach(() => {
    vi.spyOn(Math, "random").mockReturnValue(0);
  });
  afterEach(() => void vi.restoreAllMocks());
}
