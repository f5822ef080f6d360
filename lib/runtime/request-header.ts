import type { APIGatewayProxyEventHeaders, APIGatewayProxyEventMultiValueHeaders } from "aws-lambda";

/** The name of a header as {@link headerOf} takes it, whatever the case in which it is sent. */
export type HeaderName = Lowercase<string>;

/** The header of the API key, as {@link headerOf} takes it. */
export const API_KEY_HEADER = "x-api-key";

interface RequestHeaders {
  readonly headers: APIGatewayProxyEventHeaders | null;
  readonly multiValueHeaders?: APIGatewayProxyEventMultiValueHeaders | null;
}

/**
 * The value of a request header. A header that was sent several times has the values in one list, separated by commas
 * (RFC 9110 section 5.3). API Gateway keeps the name in the case in which it was sent.
 */
export function headerOf(
  { headers, multiValueHeaders }: RequestHeaders,
  name: HeaderName,
): string | undefined {
  const isNamed = ([key]: readonly [string, unknown]) => key.toLowerCase() === name;
  const values = Object.entries(multiValueHeaders ?? {})
    .filter(isNamed)
    .flatMap(([, each = []]) => each);
  return values.length > 0 ? values.join(", ") : Object.entries(headers ?? {}).find(isNamed)?.[1];
}
