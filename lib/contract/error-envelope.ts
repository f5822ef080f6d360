import * as z from "zod/mini";
import { ERROR_STATUS, type ErrorCode } from "#contract/errors";

/** The body of every 4xx and 5xx response: exactly these two members (contract, "Errors" 1). */
export const ErrorEnvelope = z.strictObject({
  error: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
});
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;
