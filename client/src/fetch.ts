import { isObject } from "./checks.ts";

/** What the client passes to `fetch`, besides the URL. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** What the client reads of a response. */
export interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: { getReader(): BytesReader } | null;
}

export interface ResponseHeaders {
  get(name: string): string | null;
}

interface BytesReader {
  read(): Promise<
    { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: unknown }
  >;
  cancel(): Promise<void>;
}

/**
 * A function that sends a request as the global `fetch` does. The type has only what the client uses: `fetch` of
 * another library, such as undici, and a function that lacks members of a runtime's own, such as Bun's `preconnect`,
 * have it too.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Whether a value has what the client reads of a response: a mock may lack it, or another library's response. */
export function isFetchResponse(value: unknown): value is FetchResponse {
  if (!isObject(value)) return false;
  const { status, headers, body } = value;
  return (
    typeof status === "number" &&
    isObject(headers) &&
    typeof headers["get"] === "function" &&
    (body === null || (isObject(body) && typeof body["getReader"] === "function"))
  );
}
