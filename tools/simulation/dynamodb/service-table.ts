import { KEYS_BY_ORGANISATION } from "#api-keys/api-key-index";
import { ENDPOINTS_BY_SEALING_KEY } from "#webhooks/endpoints/sealing-key-index";
import type { TableDefinition } from "../../../local/dynamodb/tables.ts";

/** The service's table as `infra/candidate-table.ts` defines it; a test holds the two against each other. */
export const serviceTable: TableDefinition = {
  name: "CandidateTable",
  attributes: [
    "pk",
    "sk",
    KEYS_BY_ORGANISATION.partitionKey,
    "createdAt",
    ENDPOINTS_BY_SEALING_KEY.partitionKey,
  ].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  keys: keySchema("pk", "sk"),
  indexes: [
    {
      IndexName: KEYS_BY_ORGANISATION.indexName,
      KeySchema: keySchema(KEYS_BY_ORGANISATION.partitionKey, "createdAt"),
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: [...KEYS_BY_ORGANISATION.attributes] },
    },
    {
      IndexName: ENDPOINTS_BY_SEALING_KEY.indexName,
      KeySchema: keySchema(ENDPOINTS_BY_SEALING_KEY.partitionKey, "pk"),
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["orgId", "id"] },
    },
  ],
  stream: "NEW_IMAGE",
  timeToLive: "deleteAfter",
};

function keySchema(partition: string, sort: string): TableDefinition["keys"] {
  return [
    { AttributeName: partition, KeyType: "HASH" },
    { AttributeName: sort, KeyType: "RANGE" },
  ];
}
