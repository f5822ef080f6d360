import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** One put by the AWS SDK, nothing of ours. */
export const handler = async () => {
  await client.send(new PutCommand({ TableName: "bench", Item: { pk: "bench", sk: "RECORD" } }));
  return { statusCode: 200 };
};
