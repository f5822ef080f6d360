import type { IncomingMessage } from "node:http";

/** The headers of a request as they were sent. Node returns names and values in one flat array. */
export function rawHeadersOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] ?? "",
    rawHeaders[2 * index + 1] ?? "",
  ]);
}
