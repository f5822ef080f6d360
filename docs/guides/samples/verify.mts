import { createHmac, timingSafeEqual } from "node:crypto";
import process, { argv, env, stdin } from "node:process";

/** Whether a delivery is the service's own: `signature` is its X-RR-Signature, `body` its bytes as received. */
export function isGenuine(body: Uint8Array, signature: string, signingSecret: string | undefined): boolean {
  // Everybody can sign with an empty key: without a secret nothing is genuine.
  if (!signingSecret) return false;
  const digest = createHmac("sha256", signingSecret).update(body).digest("hex");
  const expected = Buffer.from(`sha256=${digest}`);
  const received = Buffer.from(signature);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

// Try it, on Node 22.18 or newer: SIGNING_SECRET=whsec_… node verify.mts 'sha256=…' < body.json
if (import.meta.main) {
  const [, , signature] = argv;
  if (signature === undefined) {
    console.error("Usage: SIGNING_SECRET=whsec_... node verify.mts 'sha256=...' < body.json");
    process.exit(2);
  }
  const body = Buffer.concat(await stdin.toArray());
  const genuine = isGenuine(body, signature, env["SIGNING_SECRET"]);
  console.log(genuine ? "genuine" : "not genuine");
  process.exitCode = genuine ? 0 : 1;
}
