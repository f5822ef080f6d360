import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { MessageNotInflight, type SQSClient, SQSServiceException } from "@aws-sdk/client-sqs";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { isThrottlingError, isTransientError, MAXIMUM_RETRY_DELAY, Retry } from "@smithy/core/retry";
import { clientDefaults } from "#runtime/client-defaults";
import { DAY } from "#runtime/durations";
import { hasBrokenConnection, onceOnly } from "#runtime/once-only";
import { SqsError } from "../../../local/sqs/errors.ts";
import { documentClient } from "../dynamodb/document-client.ts";
import type { ExecutionEnvironment } from "./execution-environment.ts";
import { type Network, type ServiceName, ServiceRefusal, type ServiceRequest } from "./network.ts";

/** What the functions' clients are, whoever makes them. */
export interface Clients {
  readonly documentClient: DynamoDBDocumentClient;
  readonly sqsClient: SQSClient;
  readonly sendOnceClient: SQSClient;
  readonly secretsManagerClient: SecretsManagerClient;
  readonly streams: DynamoDBStreamsClient;
}

type ClientSettings = Pick<typeof clientDefaults, "maxAttempts" | "requestHandler"> &
  Partial<Pick<typeof onceOnly, "retryStrategy">>;

/** The SDK's backoff after a transient error, in ms: its clients for DynamoDB and its streams set another base. */
const BACKOFF_BASE_MS: Readonly<Record<ServiceName, number>> = {
  dynamodb: 25,
  streams: 25,
  sqs: Retry.delay(),
  secretsmanager: Retry.delay(),
};

/**
 * Clients that make the requests of an environment without the SDK's middleware: a request is an object, and the
 * retries are those that the SDK would make by the same settings.
 */
export function plainClients(environment: ExecutionEnvironment, network: Network): Clients {
  const sender = (service: ServiceName, settings: ClientSettings) => (action: string, input: object) =>
    withRetries({ service, action, input }, settings, environment, network);
  const dynamodb = sender("dynamodb", clientDefaults);
  let tokens = 0;
  return {
    documentClient: documentClient(
      (action, input) => {
        tokens += 1;
        const once = { ClientRequestToken: `${environment.id} ${tokens}` };
        return dynamodb(action, action === "TransactWriteItems" ? { ...once, ...input } : input);
      },
      { removeUndefinedValues: true },
    ),
    sqsClient: clientOf(sender("sqs", clientDefaults)) as unknown as SQSClient,
    sendOnceClient: clientOf(sender("sqs", onceOnly)) as unknown as SQSClient,
    secretsManagerClient: clientOf(
      sender("secretsmanager", clientDefaults),
    ) as unknown as SecretsManagerClient,
    streams: clientOf(sender("streams", clientDefaults)) as unknown as DynamoDBStreamsClient,
  };
}

function clientOf(send: (action: string, input: object) => Promise<object>) {
  return {
    send: (command: { readonly input: object }) =>
      send(command.constructor.name.replace(/Command$/, ""), command.input),
  };
}

async function withRetries(
  request: ServiceRequest,
  { maxAttempts, retryStrategy, requestHandler }: ClientSettings,
  environment: ExecutionEnvironment,
  network: Network,
): Promise<object> {
  // Without the setting the SDK logs a warning, and waits on.
  const timeoutMs = requestHandler.throwOnRequestTimeout ? requestHandler.requestTimeout : DAY;
  for (let attempts = 1; ; attempts++) {
    try {
      return await network.request(environment, request, timeoutMs);
    } catch (thrown) {
      const error = sdkError(thrown, attempts);
      if (retryStrategy && attempts === 1 && hasBrokenConnection(error)) continue;
      const isThrottled = isThrottlingError(error);
      if (attempts >= maxAttempts || !(isThrottled || isTransientError(error))) throw error;
      const base = isThrottled ? Retry.throttlingDelay() : BACKOFF_BASE_MS[request.service];
      const longest = Math.min(MAXIMUM_RETRY_DELAY, base * 2 ** (attempts - 1));
      await environment.runtime.wait(Math.floor(environment.random.real() * longest));
    }
  }
}

type SdkError = Parameters<typeof isTransientError>[0];

/** An error as the SDK throws it, with the number of attempts that it came after. */
function sdkError(thrown: unknown, attempts: number): SdkError {
  if (thrown instanceof ServiceRefusal) {
    const error =
      thrown.kind === "throttled"
        ? { name: "ThrottlingException", $fault: "client", httpStatusCode: 400 }
        : { name: "InternalServerError", $fault: "server", httpStatusCode: 500 };
    return Object.assign(new Error(thrown.message), {
      name: error.name,
      $fault: error.$fault,
      $metadata: { httpStatusCode: error.httpStatusCode, attempts },
    }) as unknown as SdkError;
  }
  if (thrown instanceof SqsError) {
    const { code: name, message, status: httpStatusCode } = thrown;
    const $metadata = { httpStatusCode, attempts };
    if (name === MessageNotInflight.name) return new MessageNotInflight({ message, $metadata }) as SdkError;
    return new SQSServiceException({ name, $fault: "client", message, $metadata }) as SdkError;
  }
  const error = thrown as Error & { $metadata?: object };
  error.$metadata = { ...error.$metadata, attempts };
  return error as unknown as SdkError;
}
