import { readFile } from "node:fs/promises";
import { expect, expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type * as recordSchemas from "#contract/candidate-record";
import type * as submissionSchemas from "#contract/candidate-submission";
import type { ErrorCode as KnownErrorCode } from "#contract/errors";
import type * as eventSchemas from "#contract/events";
import type * as transitionSchemas from "#contract/platform-transition";
import type * as deliverySchemas from "#contract/webhook-delivery";
import type * as endpointSchemas from "#contract/webhook-endpoint";
import { contractTypes } from "../../client/generate-contract-types.ts";
import { operationRoutes } from "../../client/generate-operation-routes.ts";
import type { AmendOptions, CandidateServiceClient, SandboxTransition } from "../../client/src/client.ts";
import type * as client from "../../client/src/contract-types.ts";
import type { StartRecoveryRequest } from "../../client/src/recovery.ts";

test("the client's types are those of the schemas: run `npm run client` when this fails", async () => {
  const file = await readFile("client/src/contract-types.ts", "utf8");

  expect(file).toBe(await contractTypes());
});

test("the client's routes are those of the operations: run `npm run client` when this fails", async () => {
  const file = await readFile("client/src/operations.ts", "utf8");

  expect(file).toBe(operationRoutes());
});

// Judged by the compiler: `npm run check` fails when one is not the other.
test("each type of the client accepts exactly what its schema accepts or returns", () => {
  expectTypeOf<client.CandidateSubmission>().toEqualTypeOf<
    z.input<typeof submissionSchemas.CandidateSubmission>
  >();
  expectTypeOf<client.CandidateAmendment>().toEqualTypeOf<
    z.input<typeof submissionSchemas.CandidateAmendment>
  >();
  expectTypeOf<client.WebhookEndpointRegistration>().toEqualTypeOf<
    z.input<typeof endpointSchemas.WebhookEndpointRegistration>
  >();
  expectTypeOf<client.CreateResponse>().toEqualTypeOf<z.output<typeof submissionSchemas.CreateResponse>>();
  expectTypeOf<client.WebhookEndpointUpdate>().toEqualTypeOf<
    z.input<typeof endpointSchemas.WebhookEndpointUpdate>
  >();
  expectTypeOf<client.SandboxTransitionRequest>().toEqualTypeOf<
    z.input<typeof transitionSchemas.SandboxTransitionRequest>
  >();
  expectTypeOf<SandboxTransition>().toEqualTypeOf<transitionSchemas.PlatformTransition>();
  expectTypeOf<client.EventType>().toEqualTypeOf<z.output<typeof eventSchemas.EventType>>();
});

// As above.
test("a type of the client accepts what its schema returns, and values that a later version may add", () => {
  type CandidateRecord = z.output<typeof recordSchemas.CandidateRecord>;
  type States = "status" | "availabilityStatus" | "verificationStatus";
  expectTypeOf<Omit<client.CandidateRecord, States>>().toEqualTypeOf<Omit<CandidateRecord, States>>();
  expectTypeOf<CandidateRecord>().toExtend<client.CandidateRecord>();
  type RotatedWebhookEndpoint = z.output<typeof endpointSchemas.RotatedWebhookEndpoint>;
  expectTypeOf<Omit<client.RotatedWebhookEndpoint, "disabledReason">>().toEqualTypeOf<
    Omit<RotatedWebhookEndpoint, "disabledReason">
  >();
  expectTypeOf<z.output<typeof endpointSchemas.WebhookEndpoint>>().toExtend<client.WebhookEndpoint>();
  expectTypeOf<
    z.output<typeof endpointSchemas.CreatedWebhookEndpoint>
  >().toExtend<client.CreatedWebhookEndpoint>();
  expectTypeOf<RotatedWebhookEndpoint>().toExtend<client.RotatedWebhookEndpoint>();
  expectTypeOf<z.output<typeof deliverySchemas.WebhookDelivery>>().toExtend<client.WebhookDelivery>();
  expectTypeOf<z.output<typeof deliverySchemas.WebhookDeliveryPage>>().toExtend<client.WebhookDeliveryPage>();
  expectTypeOf<z.output<typeof eventSchemas.WebhookEvent>>().toExtend<client.WebhookEvent>();
  expectTypeOf<KnownErrorCode>().toExtend<client.ErrorCode>();
  expectTypeOf<"paused">().toExtend<client.CandidateRecord["status"]>();
  expectTypeOf<"paused">().toExtend<client.ErrorCode>();
});

// As above.
test("what is sent may be read-only, as a constant is", () => {
  const constant = {
    eventTypes: ["candidate.received"],
    skills: [{ name: "Analysis", yearsExperience: 12 }],
    since: "2026-11-28T12:00:00Z",
  } as const;
  const { eventTypes, skills, since } = constant;
  type Argument<Name extends keyof CandidateServiceClient, At extends number> = Parameters<
    CandidateServiceClient[Name]
  >[At];
  type Submission = Argument<"createCandidate", 0>;

  expectTypeOf<typeof skills>().toExtend<Submission["skills"]>();
  expectTypeOf<readonly Submission[]>().toExtend<Argument<"createCandidateBatch", 0>>();
  expectTypeOf({ skills }).toExtend<Argument<"amendCandidate", 1>>();
  expectTypeOf({ url: "https://a.example.com", eventTypes }).toExtend<Argument<"createWebhookEndpoint", 0>>();
  expectTypeOf({ eventTypes }).toExtend<Argument<"updateWebhookEndpoint", 1>>();
  expectTypeOf({ since, types: eventTypes }).toExtend<Argument<"startRecovery", 1>>();
  expectTypeOf<client.CandidateSubmission>().toExtend<Submission>();
  expectTypeOf<{ eventTypes: readonly string[] }>().not.toExtend<Argument<"updateWebhookEndpoint", 1>>();
});

// As above.
test("an amend that is based on a version has one", () => {
  expectTypeOf<{ ifMatch: string }>().toExtend<AmendOptions>();
  expectTypeOf<{ ifMatch: undefined }>().not.toExtend<AmendOptions>();
});

// As above.
test("a transition in the sandbox has reasons if it is fail-validation, and otherwise none", () => {
  type Apply = CandidateServiceClient["applySandboxTransition"];
  const reasons = [{ code: "photo", message: "The photo is missing." }] as const;
  const calls = (apply: Apply) => [
    apply("staged_1", "fail-validation", { reasons }),
    apply("staged_1", "verify", {}, {}),
    // @ts-expect-error: the reasons are missing
    apply("staged_1", "fail-validation"),
    // @ts-expect-error: as above
    apply("staged_1", "fail-validation", {}),
    // @ts-expect-error: only fail-validation has reasons
    apply("staged_1", "verify", { reasons }),
  ];
  expectTypeOf(calls).returns.toEqualTypeOf<Promise<void>[]>();
});

// As above.
test("a batch's result is a refusal if it has an error, and otherwise a receipt", () => {
  const kindOf = (result: client.CandidateBatchResponse["results"][number]) => {
    if ("error" in result) {
      expectTypeOf(result).toEqualTypeOf<client.RefusedRow>();
      return "refused";
    }
    expectTypeOf(result).toEqualTypeOf<client.ReceivedRow>();
    return "received";
  };
  const receipt = { externalId: "ext-1", stagedId: "staged_1", receivedAt: "2026-11-21T09:00:00.000Z" };

  expect(kindOf({ ...receipt, status: 201, replayed: false })).toBe("received");
  expect(kindOf({ externalId: null, status: 400, error: "invalid_request", message: "" })).toBe("refused");
});

// As above.
test("a record that the client has read can be written back", () => {
  expectTypeOf<
    Pick<client.CandidateRecord, keyof client.CandidateRecord & keyof client.CandidateAmendment>
  >().toExtend<client.CandidateAmendment>();
});

// As above.
test("a recovery starts with the contract's request, whose times may also be Dates", () => {
  expectTypeOf<client.RecoveryRequest>().toExtend<StartRecoveryRequest>();
  expectTypeOf<keyof StartRecoveryRequest>().toEqualTypeOf<keyof client.RecoveryRequest>();
  expectTypeOf<StartRecoveryRequest["since"]>().toEqualTypeOf<string | Date>();
  expectTypeOf<StartRecoveryRequest["until"]>().toEqualTypeOf<string | Date | undefined>();
});
