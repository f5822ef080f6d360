import { Logger } from "@aws-lambda-powertools/logger";
import { withSourcePositions } from "#runtime/source-positions";
import { isSyntaxError } from "#runtime/syntax-error";

/** Members that the library would log, of the line or of an error. */
const LEFT_OUT: readonly string[] = [
  // `function_name` determines them: 140 bytes of some 650, billed by the byte.
  "function_arn",
  "function_memory_size",
  // A line of the bundle. The error's stack shows the position in the sources.
  "location",
  // The stored item, in DynamoDB's error of a failed condition if the request asked for it (Amazon DynamoDB API,
  // ConditionalCheckFailedException and CancellationReason).
  "Item",
];

/**
 * One structured logger per process. It logs identifiers, outcomes and durations, never personal data.
 *
 * An ERROR line means a fault of the service itself, and nothing else logs one, because a deployment is rolled back
 * if the new version logs too many (infra/gradual-deployment.ts).
 */
export const logger = new Logger({
  // Set by Lambda ("Defined runtime environment variables").
  persistentKeys: { function_version: process.env["AWS_LAMBDA_FUNCTION_VERSION"] },
  jsonReplacerFn: (key, value) => {
    if (LEFT_OUT.includes(key)) return undefined;
    if (isSyntaxError(value)) {
      return { name: value.name, stack: String(value.stack).replace(value.message, "") };
    }
    return key === "stack" && typeof value === "string" ? withSourcePositions(value) : value;
  },
});
