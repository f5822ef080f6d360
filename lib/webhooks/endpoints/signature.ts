import { createHmac, randomBytes } from "node:crypto";

/** 256 bits, as HMAC-SHA256 can use (RFC 2104 section 3). */
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and 32 random bytes in base64url. The whole string is the HMAC's key. */
export function newSigningSecret(random: (size: number) => Uint8Array = randomBytes): string {
  return `whsec_${Buffer.from(random(SECRET_BYTES)).toString("base64url")}`;
}

/** The value of `X-RR-Signature`: `sha256=` and the HMAC-SHA256 of the raw body in hex (contract, "Events"). */
export function signatureOf(body: string, signingSecret: string): string {
  return `sha256=${createHmac("sha256", signingSecret).update(body, "utf8").digest("hex")}`;
}
