import { subscribe } from "node:diagnostics_channel";

/** A request that a function sent by undici, as it went over the wire. */
export interface SentRequest {
  /** When it was written, in ms since 1970. */
  readonly at: number;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** What undici reports of a request as it writes it (Diagnostics Channel Support, "undici:client:sendHeaders"). */
interface Sending {
  readonly request: { readonly origin: string | URL; readonly path: string; readonly body: unknown };
  /** The request line and the headers, each with its line end. */
  readonly headers: string;
}

/** Reports every request that this thread sends by undici, whichever copy of it: channels go by their name. */
export function watchSentRequests(onSent: (request: SentRequest) => void): void {
  subscribe("undici:client:sendHeaders", (message) => {
    const { request, headers } = message as Sending;
    const body = request.body instanceof Uint8Array ? request.body : Buffer.alloc(0);
    onSent({
      at: Date.now(),
      url: new URL(request.path, request.origin).href,
      // The length follows in the very same write, after the channel's message.
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
