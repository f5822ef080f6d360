import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { clientDefaults } from "#aws/client-defaults";

/** One client per process. */
export const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient(clientDefaults), {
  marshallOptions: { removeUndefinedValues: true },
});
