import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { clientDefaults } from "#runtime/client-defaults";
import type { Runtime } from "#runtime/runtime";

/** The runtime of a function that accesses the table. */
export interface WithTable extends Runtime {
  readonly documentClient: DynamoDBDocumentClient;
}

/** One client per process. A bundle that makes one with {@link documentClientWith} does not include it. */
export const documentClient = /* @__PURE__ */ documentClientOf(clientDefaults);

/**
 * A client with more sockets than the SDK's 50, beyond which requests are queued (AWS SDK for JavaScript developer
 * guide, "Configure maxSockets in Node.js").
 */
export function documentClientWith(maxSockets: number): DynamoDBDocumentClient {
  const requestHandler = { ...clientDefaults.requestHandler, httpsAgent: { maxSockets } };
  return documentClientOf({ ...clientDefaults, requestHandler });
}

function documentClientOf(configuration: DynamoDBClientConfig): DynamoDBDocumentClient {
  const client = new DynamoDBClient(configuration);
  // It copies every input and output for a logger, even if there is none: a tenth of a put's processor time.
  client.middlewareStack.remove("loggerMiddleware");
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
  });
}
