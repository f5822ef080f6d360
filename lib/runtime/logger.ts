import { Logger } from "@aws-lambda-powertools/logger";
import { withSourcePositions } from "#runtime/source-positions";
import { isSyntaxError } from "#runtime/syntax-error";

/** Fields that the library adds, and that others already determine: a log is billed by the byte. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  // Of every line, 140 bytes of some 650: `function_name` determines them.
  "function_arn",
  "function_memory_size",
  // Of an error: a line of the bundle. Its stack shows the position in the sources.
  "location",
]);

/**
 * What DynamoDB's error of a failed condition has if the request asked for it: the stored item (Amazon DynamoDB API,
 * ConditionalCheckFailedException and CancellationReason). The library logs every member of an error.
 */
const STORED_ITEM = "Item";

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
    if (LEFT_OUT.has(key) || key === STORED_ITEM) return undefined;
    if (isSyntaxError(value)) {
      return { name: value.name, stack: String(value.stack).replace(value.message, "") };
    }
    return key === "stack" && typeof value === "string" ? withSourcePositions(value) : value;
  },
});
