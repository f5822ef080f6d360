import { Logger } from "@aws-lambda-powertools/logger";
import { inSources } from "#aws/source-positions";

/** One structured logger per process. It is given identifiers, outcomes and durations; never personal data. */
export const logger = new Logger({
  jsonReplacerFn: (key, value) => (key === "stack" && typeof value === "string" ? inSources(value) : value),
});
