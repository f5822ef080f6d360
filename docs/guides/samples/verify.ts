import { createHmac, timingSafeEqual } from "node:crypto";
import { argv, env, exit, stdin } from "node:process";

/** Whether a delivery is the service's own: `signature` is its X-RR-Signature, `body` its bytes as received. */
export function isGenuine(body: Uint8Array, signature: string, signingSecret: string): boolean {
  const digest = createHmac("sha256", signingSecret).update(body).digest("hex");
  const expected = Buffer.from(`sha256=${digest}`);
  const received = Buffer.from(signature);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

// Try it: SIGNING_SECRET=whsec_… node verify.ts 'sha256=…' < body.json
const body = Buffer.concat(await stdin.toArray());
exit(isGenuine(body, argv[2] ?? "", env["SIGNING_SECRET"] ?? "") ? 0 : 1);
