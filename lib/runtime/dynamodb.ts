import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { clientDefaults } from "#runtime/client-defaults";
import type { Runtime } from "#runtime/runtime";

/** The runtime of a function that accesses the table. */
export interface WithTable extends Runtime {
  readonly documentClient: DynamoDBDocumentClient;
}

/** One client per process. */
export const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient(clientDefaults), {
  marshallOptions: { removeUndefinedValues: true },
});
