import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import {
  deliveryLogOf,
  listDeliveriesServiceOf,
  retryQueueOf,
  sampleServiceOf,
} from "#webhooks/delivery/composition";
import { keyringRotationOf, signingSecretsOf, webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { SimulatedStore } from "../simulation/simulated-store.ts";

const dependencies = {
  ...runtime,
  documentClient: new SimulatedStore().client,
  sqsClient: new SQSClient({ region: "eu-west-1" }),
  secretsManagerClient: new SecretsManagerClient({ region: "eu-west-1" }),
};

const VARIABLES = {
  TABLE_NAME: "candidates",
  SIDE_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/side",
  RETRY_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/retries",
  KEYRING_SECRET_ID: "keyring",
};

test.each([
  [webhookEndpointsOf, "TABLE_NAME"],
  [deliveryLogOf, "TABLE_NAME"],
  [listDeliveriesServiceOf, "TABLE_NAME"],
  [sampleServiceOf, "SIDE_QUEUE_URL"],
  [retryQueueOf, "RETRY_QUEUE_URL"],
  [keyringRotationOf, "KEYRING_SECRET_ID"],
  [signingSecretsOf, "KEYRING_SECRET_ID"],
] as const)("the webhook function %o does not start without %s", (of, name) => {
  for (const value of [undefined, ""]) {
    const variables = { ...VARIABLES, [name]: value };
    expect(() => of({ ...dependencies, variables })).toThrow(new RegExp(`: ${name}\\.$`));
  }
  expect(of({ ...dependencies, variables: VARIABLES })).toBeDefined();
});
