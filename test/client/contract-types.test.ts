import { readFile } from "node:fs/promises";
import { expect, expectTypeOf, test } from "vitest";
import type * as z from "zod/mini";
import type * as recordSchemas from "#contract/candidate-record";
import type * as submissionSchemas from "#contract/candidate-submission";
import type { ErrorCode as KnownErrorCode } from "#contract/errors";
import type * as eventSchemas from "#contract/events";
import type * as deliverySchemas from "#contract/webhook-delivery";
import type * as endpointSchemas from "#contract/webhook-endpoint";
import { contractTypes } from "../../client/contract-types.ts";
import type * as client from "../../client/src/contract-types.ts";

test("the client's types are those of the schemas: run `npm run client` when this fails", async () => {
  const file = await readFile("client/src/contract-types.ts", "utf8");

  expect(file).toBe(await contractTypes());
});

// Judged by the compiler: `npm run check` fails when one is not the other.
test("each type takes exactly what its schema takes or gives", () => {
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
  expectTypeOf<client.CandidateRecord>().toEqualTypeOf<z.output<typeof recordSchemas.CandidateRecord>>();
  expectTypeOf<client.WebhookEndpoint>().toEqualTypeOf<z.output<typeof endpointSchemas.WebhookEndpoint>>();
  expectTypeOf<client.CreatedWebhookEndpoint>().toEqualTypeOf<
    z.output<typeof endpointSchemas.CreatedWebhookEndpoint>
  >();
  expectTypeOf<client.WebhookEndpointUpdate>().toEqualTypeOf<
    z.input<typeof endpointSchemas.WebhookEndpointUpdate>
  >();
  expectTypeOf<client.RotatedWebhookEndpoint>().toEqualTypeOf<
    z.output<typeof endpointSchemas.RotatedWebhookEndpoint>
  >();
  expectTypeOf<client.WebhookDelivery>().toEqualTypeOf<z.output<typeof deliverySchemas.WebhookDelivery>>();
  expectTypeOf<client.WebhookDeliveryPage>().toEqualTypeOf<
    z.output<typeof deliverySchemas.WebhookDeliveryPage>
  >();
  // One type for each event there, one for those of a kind here: each takes the other's values.
  expectTypeOf<client.WebhookEvent>().toExtend<z.output<typeof eventSchemas.WebhookEvent>>();
  expectTypeOf<z.output<typeof eventSchemas.WebhookEvent>>().toExtend<client.WebhookEvent>();
  expectTypeOf<client.EventType>().toEqualTypeOf<z.output<typeof eventSchemas.EventType>>();
  expectTypeOf<client.ErrorCode>().toEqualTypeOf<KnownErrorCode>();
});
