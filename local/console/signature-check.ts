import { signatureOf } from "../../lib/webhooks/endpoints/signature.ts";
import type { SignatureCheck } from "./page-data.ts";

/** Until the response to a rotation, a delivery has a known secret only in its second header. */
const SIGNATURE_HEADERS = new Set(["x-rr-signature", "x-rr-signature-previous"]);

/** Recomputes the signature of a delivery, like its receiver. */
export function checkSignature(
  { headers, body }: { readonly headers: readonly (readonly [string, string])[]; readonly body: string },
  secrets: readonly string[],
): SignatureCheck {
  const signatures = headers
    .filter(([name]) => SIGNATURE_HEADERS.has(name.toLowerCase()))
    .map(([, value]) => value);
  if (signatures.length === 0) return "missing";
  if (secrets.length === 0) return "secret unknown";
  return secrets.some((secret) => signatures.includes(signatureOf(body, secret))) ? "verified" : "wrong";
}
