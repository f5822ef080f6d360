import { Logger } from "@aws-lambda-powertools/logger";
import { inSources } from "#runtime/source-positions";

/**
 * One structured logger per process. It logs identifiers, outcomes and durations, never personal data.
 *
 * A line of level ERROR is a fault of the service itself. A deployment counts those of the new version and rolls back
 * if there are any (infra/gradual-deployment.ts), so every such fault logs one, and nothing else does.
 */
export const logger = new Logger({
  // Set by Lambda ("Defined runtime environment variables").
  persistentKeys: { function_version: process.env["AWS_LAMBDA_FUNCTION_VERSION"] },
  jsonReplacerFn: (key, value) => (key === "stack" && typeof value === "string" ? inSources(value) : value),
});
