import { createHmac } from "node:crypto";

/** 256 bits, as HMAC-SHA256 can use (RFC 2104 section 3). */
const SECRET_BYTES = 32;

const PREFIX = "whsec_";

/** A new signing secret: `whsec_` and 32 random bytes in padded base64, the format of Standard Webhooks. */
export function newSigningSecret(randomBytes: (size: number) => Uint8Array): string {
  return `${PREFIX}${Buffer.from(randomBytes(SECRET_BYTES)).toString("base64")}`;
}

/**
 * The value of `X-RR-Signature`: `sha256=` and the HMAC-SHA256 of the raw body in hex, keyed with the whole secret
 * (contract, "Events").
 */
export function signatureOf(body: string, signingSecret: string): string {
  return `sha256=${createHmac("sha256", signingSecret).update(body, "utf8").digest("hex")}`;
}

/**
 * A signature in the header `webhook-signature` (Standard Webhooks 1.0.0): `v1,` and the HMAC-SHA256 of event id, time
 * and raw body in base64, keyed with the bytes that the secret encodes.
 *
 * @param timestamp the time of the attempt, in seconds since 1970
 */
export function standardSignatureOf(
  {
    eventId,
    timestamp,
    body,
  }: { readonly eventId: string; readonly timestamp: number; readonly body: string },
  signingSecret: string,
): string {
  // Node takes six times as long with a key in a buffer.
  const hmac = createHmac("sha256", signingSecret.slice(PREFIX.length), { encoding: "base64" });
  return `v1,${hmac.update(`${eventId}.${timestamp}.${body}`, "utf8").digest("base64")}`;
}
