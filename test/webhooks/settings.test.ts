import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { deliveryLogOf, retryQueueOf, sideQueueOf } from "#webhooks/delivery/composition";
import { keyringRotationOf, signingSecretsOf, webhookEndpointsOf } from "#webhooks/endpoints/composition";
import { SimulatedStore } from "../simulation/simulated-store.ts";

const dependencies = {
  ...runtime,
  documentClient: new SimulatedStore().client,
  sqsClient: new SQSClient({ region: "eu-west-1" }),
  secretsManagerClient: new SecretsManagerClient({ region: "eu-west-1" }),
};

test.each([
  [webhookEndpointsOf, "TABLE_NAME", "candidates"],
  [deliveryLogOf, "TABLE_NAME", "candidates"],
  [sideQueueOf, "SIDE_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/side"],
  [retryQueueOf, "RETRY_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/1/retries"],
  [keyringRotationOf, "KEYRING_SECRET_ID", "keyring"],
  [signingSecretsOf, "KEYRING_SECRET_ID", "keyring"],
] as const)("the webhook function %o does not start without %s", (of, name, value) => {
  for (const variables of [{}, { [name]: "" }]) {
    expect(() => of({ ...dependencies, variables })).toThrow(new RegExp(`: ${name}\\.$`));
  }
  expect(of({ ...dependencies, variables: { [name]: value } })).toBeDefined();
});
