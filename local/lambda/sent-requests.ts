import { subscribe } from "node:diagnostics_channel";

/** A request that a function sent with undici, as it was sent. */
export interface SentRequest {
  /** When it was written, in ms since 1970. */
  readonly at: number;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** undici's report of a request that it is writing (Diagnostics Channel Support, "undici:client:sendHeaders"). */
interface SendHeadersMessage {
  readonly request: { readonly origin: string | URL; readonly path: string; readonly body: unknown };
  /** The request line and the headers, each with its line break. */
  readonly headers: string;
}

/** Reports every request that this thread sends with any copy of undici: channels are identified by name. */
export function watchSentRequests(onSent: (request: SentRequest) => void): void {
  subscribe("undici:client:sendHeaders", (message) => {
    const { request, headers } = message as SendHeadersMessage;
    const body = request.body instanceof Uint8Array ? request.body : Buffer.alloc(0);
    onSent({
      at: Date.now(),
      url: new URL(request.path, request.origin).href,
      // undici appends the length in the same write, after this message.
      headers: [...headerPairs(headers), ["content-length", String(body.byteLength)]],
      body: Buffer.from(body).toString("utf8"),
    });
  });
}

function headerPairs(head: string): [string, string][] {
  const [, ...lines] = head.split("\r\n").filter((line) => line !== "");
  return lines.map((line) => {
    const separator = line.indexOf(":");
    return [line.slice(0, separator), line.slice(separator + 1).trim()];
  });
}
