import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";

/** A call to AWS as it was sent. */
export interface AwsCall {
  /** The service for which the request is signed, such as `dynamodb`. */
  readonly service: string;
  /** The API and operation, such as `DynamoDB_20120810.PutItem`; method and path if the API has no operation names. */
  readonly target: string;
  readonly body: string;
}

/** Reports every signed request that this thread sends with `node:http`, as the AWS SDK does. */
export function watchAwsCalls(onCall: (call: AwsCall) => void): void {
  subscribe("http.client.request.created", (message) => {
    const { request } = message as { readonly request: ClientRequest };
    const service = signedFor(request);
    if (service === undefined) return;
    const target = request.getHeader("x-amz-target") ?? `${request.method} ${request.path}`;
    // Node 24 has no diagnostics channel for bodies. The SDK sends the whole body when it ends the request.
    const end = request.end as (...args: unknown[]) => ClientRequest;
    request.end = (...args: unknown[]) => {
      const body = typeof args[0] === "string" || args[0] instanceof Uint8Array ? args[0] : "";
      onCall({ service, target: String(target), body: Buffer.from(body).toString("utf8") });
      return end.apply(request, args);
    };
  });
}

/** The service in the credential scope of a signature (AWS Signature Version 4). */
function signedFor(request: ClientRequest): string | undefined {
  const authorization = String(request.getHeader("authorization"));
  return /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\/aws4_request/.exec(authorization)?.[1];
}
