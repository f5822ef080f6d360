import type { APIGatewayProxyEventHeaders } from "aws-lambda";

/** The value of a request header. API Gateway keeps the name in the case that the caller sent. */
export function headerOf(
  { headers }: { readonly headers: APIGatewayProxyEventHeaders | null },
  name: string,
): string | undefined {
  const found = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}
