import type { FetchResponse } from "./fetch.ts";

/**
 * The largest response that is read, in bytes: more than the service can send. API Gateway passes on 10 MB (Amazon API
 * Gateway Developer Guide, "Quotas for configuring and running a REST API", payload size).
 */
export const RESPONSE_BYTES = 10 * 1024 * 1024;

/** The text of a response, or undefined if it is larger than {@link RESPONSE_BYTES}: the rest is not received. */
export async function readText({ body }: FetchResponse): Promise<string | undefined> {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > RESPONSE_BYTES) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
