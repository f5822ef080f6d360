import type { WebhookEvent } from "./contract-types.ts";
import { CandidateServiceError } from "./error.ts";

/** The headers of a request, as the runtime or the framework gives them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The second header is there for 24 hours after a rotation, signed with the secret from before. */
const SIGNATURE_HEADERS = ["X-RR-Signature", "X-RR-Signature-Previous"];

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * The event of a delivery, once its signature is found to be genuine. The comparison is the runtime's own,
 * in constant time.
 *
 * @param rawBody the body's bytes or text as received, before any JSON parser
 * @param headers the request's headers, whatever the case of their names
 * @param secret the endpoint's `signingSecret`, `whsec_` included. After a rotation either secret works for
 *   24 hours, so that receivers may be changed one by one.
 * @throws CandidateServiceError `invalid_signature`: answer 401 or 400, and do not trust the body
 * @throws TypeError when the secret is empty or missing, with which everybody can sign
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  // Missing, too: JavaScript and an unset variable get past the type.
  if (!secret) throw new TypeError("secret: the endpoint's signingSecret is expected");
  const signatures = SIGNATURE_HEADERS.map((name) => headerOf(headers, name)).filter(
    (value) => value !== undefined,
  );
  if (signatures.length === 0) {
    throw invalid("The delivery has no X-RR-Signature header: it is not the service's.");
  }
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody);
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  for (const signature of signatures) {
    const bytes = bytesOf(signature);
    if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, body))) return eventIn(body);
  }
  throw invalid(
    "The signature does not match: check that the secret is this endpoint's, and that the body is what was received, byte for byte.",
  );
}

function eventIn(body: Uint8Array): WebhookEvent {
  return JSON.parse(new TextDecoder().decode(body));
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return typeof found === "string" ? found : found?.[0];
}

// Not `instanceof`: some frameworks bring a class of their own.
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers["get" as keyof WebhookHeaders] === "function";
}

function bytesOf(signature: string): Uint8Array<ArrayBuffer> | undefined {
  const hex = SIGNATURE.exec(signature)?.[1];
  return hex === undefined
    ? undefined
    : Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
        Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
      );
}

function invalid(message: string): CandidateServiceError {
  return new CandidateServiceError("invalid_signature", message);
}
