import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { clientDefaults } from "#runtime/client-defaults";
import { onceOnly } from "#runtime/once-only";
import type { Clients } from "./clients.ts";
import type { ExecutionEnvironment } from "./execution-environment.ts";
import type { Network, ServiceName } from "./network.ts";
import { NetworkHandler } from "./network-handler.ts";

/** What the SDK would look up in environment variables and files. Nothing is signed. */
const FOUND = {
  region: "us-east-1",
  endpoint: "https://aws.invalid",
  credentials: { accessKeyId: "simulated", secretAccessKey: "simulated" },
  signer: { sign: async <Request>(request: Request) => request },
  retryMode: "standard",
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "",
  authSchemePreference: [] as string[],
  disableClockSkewCorrection: true,
  defaultUserAgentProvider: async () => [],
};

/** The SDK's own clients, with the service's settings, on the simulated network. */
export function sdkClients(environment: ExecutionEnvironment, network: Network): Clients {
  const settings = (service: ServiceName, own: typeof clientDefaults) => ({
    ...FOUND,
    ...own,
    requestHandler: new NetworkHandler(service, own.requestHandler, environment, network),
  });
  return {
    documentClient: DynamoDBDocumentClient.from(
      new DynamoDBClient({
        ...settings("dynamodb", clientDefaults),
        accountIdEndpointMode: "disabled",
      }),
      { marshallOptions: { removeUndefinedValues: true } },
    ),
    sqsClient: new SQSClient(settings("sqs", clientDefaults)),
    sendOnceClient: new SQSClient(settings("sqs", onceOnly)),
    secretsManagerClient: new SecretsManagerClient(settings("secretsmanager", clientDefaults)),
    streams: new DynamoDBStreamsClient(settings("streams", clientDefaults)),
  };
}
