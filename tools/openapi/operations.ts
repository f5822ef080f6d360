import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import type { OperationDefinition } from "#contract/operation-definition";
import { operations } from "#contract/operations";
import { candidateOperations } from "./candidate-operations.ts";
import { codeSamples } from "./code-samples.ts";
import { queryParameters } from "./described.ts";
import { eventOperations } from "./event-operations.ts";
import { extension, sandboxOnly } from "./extension.ts";
import type { BodyWords, OperationWords, Row, WordsById } from "./operation-words.ts";
import { parametersOf } from "./path-parameters.ts";
import { errorResponses, json, success } from "./responses.ts";
import { sandboxOperations } from "./sandbox-operations.ts";
import { webhookEndpointOperations } from "./webhook-endpoint-operations.ts";

/** The description of each operation, in the order in which it appears. */
const words: WordsById = {
  ...candidateOperations,
  ...webhookEndpointOperations,
  ...eventOperations,
  ...sandboxOperations,
};

const shown = Object.keys(words);

const inOrder = operations.toSorted(
  (left, right) => shown.indexOf(left.operationId) - shown.indexOf(right.operationId),
);

/** Every operation of the API, by path. */
export const paths: ZodOpenApiPathsObject = Object.fromEntries(
  [...Map.groupBy(inOrder, ({ path }) => path)].map(([path, rows]) => [
    path,
    {
      ...parametersOf(path),
      ...Object.fromEntries(rows.map((row) => [row.method.toLowerCase(), operationObject(row)])),
    },
  ]),
);

function operationObject(row: Row): ZodOpenApiOperationObject {
  const { operationId, summary, body, optionalBody, query, status }: OperationDefinition = row;
  const its: OperationWords = words[row.operationId];
  const parameters = [
    ...(its.headers ?? []),
    ...(query && its.query ? queryParameters(query, its.query) : []),
  ];
  return {
    operationId,
    tags: [its.tag],
    summary,
    description: its.description,
    ...(parameters.length > 0 && { parameters }),
    ...(body &&
      its.body && {
        requestBody: {
          required: !optionalBody,
          description: its.body.description,
          content: json(body, its.body.examples),
        },
      }),
    responses: { [status]: success(row, its.success), ...errorResponses(row, its.notFound) },
    "x-codeSamples": codeSamples(row, firstOf(its.body)),
    ...marksOf(row),
  };
}

/** The first example of a body. */
function firstOf(body: BodyWords | undefined): unknown {
  const [example] = Object.values(body?.examples ?? {});
  return example && "value" in example ? example.value : undefined;
}

function marksOf({ extension: isExtension, sandbox }: OperationDefinition) {
  return { ...(isExtension && extension), ...(sandbox && sandboxOnly) };
}
