import { isObject } from "./checks.ts";
import type { WebhookEvent } from "./contract-types.ts";
import { CandidateServiceError } from "./error.ts";

/** The headers of a request, as the runtime or the framework gives them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers that every delivery carries (Standard Webhooks, "Webhook headers"). */
interface SignedHeaders {
  readonly id: string;
  /** Seconds since 1970, when the attempt was made. */
  readonly timestamp: string;
  /** One signature or, for 24 hours after a rotation, two, separated by spaces. */
  readonly signature: string;
}

/** How old or how far in the future an attempt may be, in seconds (Standard Webhooks suggests five minutes). */
const TOLERANCE_SECONDS = 5 * 60;

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The prefix of a secret; the rest is its key in base64. */
const PREFIX = "whsec_";

/**
 * The shortest key, in bytes (Standard Webhooks, "Signature scheme"); the service's have 32. A shorter one is cut off.
 */
const KEY_BYTES = 24;
const SCHEME = "v1,";
/** In visible ASCII characters: other bytes of a header are read differently by different servers. */
const ID = /^[!-~]+$/;
/** A Unix time up to the year 33658, in whole seconds. */
const SECONDS = /^\d{1,12}$/;

export interface VerifyWebhookOptions {
  /** How old or how far in the future the attempt may be, in seconds, 0 or more; 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** The current time; the system clock's by default. */
  readonly now?: Date | undefined;
}

/**
 * The event of a delivery, once its signature is found to be genuine: `webhook-signature` over id, time and body
 * (Standard Webhooks). The comparison takes constant time. A replayed delivery is refused after five minutes; one sent
 * under another event's id is always refused.
 *
 * @param rawBody the body's bytes or text as received, before any JSON parser
 * @param headers the request's headers, whatever the case of their names
 * @param secret the endpoint's `signingSecret`, `whsec_` included. After a rotation either secret works for
 *   24 hours, so that receivers may be changed one by one.
 * @throws CandidateServiceError `invalid_signature`: respond with 401 or 400, and do not trust the body
 * @throws TypeError when the secret is missing, empty or not one of this service's (anybody can sign with an empty
 *   one), when the body is a parsed object, a stream or missing, when the headers are missing, or when an option is
 *   wrong: mistakes of the receiver, not of the delivery
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const { toleranceSeconds, now } = optionsIn(options);
  const body = bytesIn(rawBody);
  const key = await keyOf(secret);
  assertHeaders(headers);
  const { id, timestamp, signature } = signedHeadersOf(headers);
  if (!ID.test(id)) throw invalid("The header webhook-id is not an event's id.");
  const ageSeconds = now.getTime() / 1_000 - (SECONDS.test(timestamp) ? Number(timestamp) : Number.NaN);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw invalid(
      `The delivery's time is more than ${toleranceSeconds} seconds in the past or the future: it is a replay, or the clock is wrong.`,
    );
  }
  const signed = concatenated(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const expected = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
  if (!signature.split(" ").some((each) => isSame(each, expected))) {
    throw invalid(
      "The signature does not match: check that the secret is this endpoint's, and that the body is what was received, byte for byte.",
    );
  }
  const event = eventIn(body);
  if (event.id !== id) throw invalid("The header webhook-id is not the id of the event in the body.");
  return event;
}

/** A tolerance without a limit would accept a replay of any age, and one that is not a number no delivery at all. */
function optionsIn(options: unknown): { readonly toleranceSeconds: number; readonly now: Date } {
  if (!isObject(options)) throw new TypeError("options: an object is expected");
  const { toleranceSeconds = TOLERANCE_SECONDS, now = new Date(), ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new TypeError(
      `options: verifyWebhook has no option ${unknown}; expected are toleranceSeconds, now`,
    );
  }
  if (typeof toleranceSeconds !== "number" || !(toleranceSeconds >= 0 && toleranceSeconds < Infinity)) {
    throw new TypeError("toleranceSeconds: a finite number of seconds, 0 or more, is expected");
  }
  if (!isValidDate(now)) throw new TypeError("now: a valid Date is expected");
  return { toleranceSeconds, now };
}

/** Also of another realm, where `instanceof` fails. */
function isValidDate(value: unknown): value is Date {
  return isObject(value) && typeof value["getTime"] === "function" && Number.isFinite(value["getTime"]());
}

function assertHeaders(headers: unknown): void {
  if (!isObject(headers)) {
    const mistake = Array.isArray(headers)
      ? "you passed a list, such as rawHeaders"
      : "the headers are missing";
    throw new TypeError(
      `headers: ${mistake}; pass the request's Headers, or an object with a member for each header`,
    );
  }
  if (typeof headers["then"] === "function") throw new TypeError("headers: you passed a promise; await it");
  if (isObject(headers["headers"])) throw new TypeError("headers: you passed the request; pass its headers");
}

/**
 * Also from another realm, where `instanceof` fails; not a view of another element type, whose bytes it would copy as
 * numbers.
 */
function bytesIn(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === "string") return new TextEncoder().encode(rawBody);
  const kind = Object.prototype.toString.call(rawBody);
  if (kind === "[object Uint8Array]" || kind === "[object ArrayBuffer]") {
    return new Uint8Array(rawBody as Uint8Array | ArrayBuffer);
  }
  throw new TypeError(
    `rawBody: ${mistakeIn(rawBody)}; pass the raw body, its bytes or text as received, before any JSON parser`,
  );
}

function mistakeIn(rawBody: unknown): string {
  if (rawBody === undefined || rawBody === null) return "the body is missing";
  if (isObject(rawBody) && typeof rawBody["then"] === "function") return "you passed a promise; await it";
  if (
    isObject(rawBody) &&
    (typeof rawBody["arrayBuffer"] === "function" || "getReader" in rawBody || "pipe" in rawBody)
  ) {
    return "you passed a request or a stream; read it first";
  }
  return "you passed a parsed object";
}

/** The key in a secret. In plain JavaScript, or if a variable is not set, it may be missing in spite of its type. */
async function keyOf(secret: string): Promise<Key> {
  if (secret === undefined || secret === null || secret === "") {
    throw new TypeError("secret: the secret is missing; pass the endpoint's signingSecret");
  }
  const isSecret = typeof secret === "string" && secret.startsWith(PREFIX);
  const key = isSecret ? decodedBase64(secret.slice(PREFIX.length)) : undefined;
  if (!key || key.length < KEY_BYTES) {
    throw new TypeError(
      `secret: it is not a signing secret; pass the endpoint's whole signingSecret, ${PREFIX} included`,
    );
  }
  return crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

function signedHeadersOf(headers: WebhookHeaders): SignedHeaders {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = headerOf(headers, name);
    if (!value) throw invalid(`The delivery has no ${name} header, so it does not come from the service.`);
    return value;
  }) as [string, string, string];
  return { id, timestamp, signature };
}

/** Whether a signature is the expected one, in constant time. */
function isSame(signature: string, expected: Uint8Array): boolean {
  const bytes = signature.startsWith(SCHEME) ? decodedBase64(signature.slice(SCHEME.length)) : undefined;
  if (bytes?.length !== expected.length) return false;
  let difference = 0;
  for (const [index, byte] of expected.entries()) difference |= byte ^ (bytes[index] ?? 0);
  return difference === 0;
}

function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function eventIn(body: Uint8Array): WebhookEvent {
  try {
    return Object(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    throw invalid("The body is not JSON.");
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

// Not `instanceof`: some frameworks bring a class of their own.
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers["get" as keyof WebhookHeaders] === "function";
}

/** The bytes in base64; undefined if it is not base64. */
function decodedBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function invalid(message: string): CandidateServiceError {
  return new CandidateServiceError("invalid_signature", message);
}
