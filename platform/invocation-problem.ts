import {
  type LambdaServiceException,
  ResourceNotFoundException,
  TooManyRequestsException,
} from "@aws-sdk/client-lambda";
import type { EnvironmentName } from "#runtime/environment";

/**
 * Why a function could not be invoked, or its response was lost, and what to do.
 *
 * @param localUrl the URL of the local stack's Invoke API; undefined for a function in AWS
 */
export function invocationProblem(
  functionName: string,
  environment: EnvironmentName | undefined,
  localUrl: string | undefined,
  error: Error,
): string {
  if (error instanceof ResourceNotFoundException) {
    return `There is no function ${functionName}. Deploy the ${environment ?? "local"} stack first, and check AWS_REGION.`;
  }
  if (error instanceof TooManyRequestsException) {
    return `${functionName} was throttled (${error.message}) and has not run. Repeat the command later.`;
  }
  if (isLost(error)) {
    return `The response of ${functionName} was lost (${reasonOf(error)}). The function may have run: see what it has done before you repeat the command.`;
  }
  return localUrl === undefined
    ? `${functionName} could not be invoked (${error.name}: ${reasonOf(error)}). Check your AWS credentials and AWS_REGION.`
    : `The local stack does not respond at ${localUrl}. Start it with npm start.`;
}

/** The causes that break an open connection, on which the request may have been sent. */
const LOST: readonly unknown[] = ["ECONNRESET", "EPIPE", "ETIMEDOUT"];

/** Whether the request may have been received, although its response was not, or was that of a fault of AWS. */
function isLost(error: Error): boolean {
  if (statusCodeOf(error) >= 500) return true;
  const { code, syscall }: NodeJS.ErrnoException = error;
  return LOST.includes(code) && syscall !== "connect" && !(error instanceof AggregateError);
}

/** The status code of the response, whatever its body is; 0 if there was none. */
function statusCodeOf({ $metadata }: Partial<LambdaServiceException>): number {
  return $metadata?.httpStatusCode ?? 0;
}

function reasonOf(error: Error): string {
  // A host name with several addresses could not be connected to at any of them: an error for each, and no message.
  if (error instanceof AggregateError) return error.errors.map(({ message }: Error) => message).join(", ");
  const statusCode = statusCodeOf(error);
  // The body of the response was no JSON, as that of a load balancer.
  return error instanceof SyntaxError && statusCode > 0 ? `status code ${statusCode}` : error.message;
}
