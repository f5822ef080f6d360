import { Logger } from "@aws-lambda-powertools/logger";

/** One structured logger per process. It is given identifiers, outcomes and durations; never personal data. */
export const logger = new Logger();
