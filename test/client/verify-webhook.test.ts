import { expect, expectTypeOf, test } from "vitest";
import { newSigningSecret, signatureOf } from "#webhooks/endpoints/signature";
import { CandidateServiceError, verifyWebhook, type WebhookEvent } from "../../client/src/index.ts";

const body = JSON.stringify({
  id: "evt_1",
  type: "candidate.validation_failed",
  data: { externalId: "Zoë", reasons: [{ code: "cv_unreadable", message: "Unreadable." }] },
});
const secret = newSigningSecret();
const genuine = signatureOf(body, secret);

test.each<[string, string | Uint8Array | ArrayBuffer, Parameters<typeof verifyWebhook>[1]]>([
  ["text and a plain object", body, { "X-RR-Signature": genuine }],
  ["bytes and Node's lower-case headers", Buffer.from(body), { "x-rr-signature": genuine }],
  [
    "an ArrayBuffer and Headers",
    Buffer.from(body).buffer.slice(0),
    new Headers({ "X-RR-Signature": genuine }),
  ],
  ["headers as lists", body, { "X-Rr-Signature": [genuine] }],
  [
    "the secret from before a rotation",
    body,
    { "X-RR-Signature": signatureOf(body, "whsec_new"), "X-RR-Signature-Previous": genuine },
  ],
  [
    "the secret from after a rotation",
    body,
    { "X-RR-Signature": genuine, "X-RR-Signature-Previous": signatureOf(body, "whsec_old") },
  ],
])("gives the event of a genuine delivery: %s", async (_, rawBody, headers) => {
  const exact = rawBody instanceof ArrayBuffer ? new TextEncoder().encode(body).buffer : rawBody;

  const event = await verifyWebhook(exact, headers, secret);

  expect(event).toEqual(JSON.parse(body));
  expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
  if (event.type === "candidate.validation_failed") {
    expectTypeOf(event.data.reasons).toEqualTypeOf<{ code: string; message: string }[]>();
  }
});

test.each([
  ["another body", body.replace("Zoë", "Zoe"), { "X-RR-Signature": genuine }, secret],
  ["another secret", body, { "X-RR-Signature": genuine }, newSigningSecret()],
  ["no signature", body, {}, secret],
  ["an empty signature", body, { "X-RR-Signature": "" }, secret],
  ["a shortened signature", body, { "X-RR-Signature": genuine.slice(0, -2) }, secret],
  [
    "another digit",
    body,
    { "X-RR-Signature": genuine.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")) },
    secret,
  ],
  ["no prefix", body, { "X-RR-Signature": genuine.slice("sha256=".length) }, secret],
  ["a parsed body written again", `${body} `, { "X-RR-Signature": genuine }, secret],
])("refuses %s", async (_, rawBody, headers, signingSecret) => {
  const error = await verifyWebhook(rawBody, headers, signingSecret).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(CandidateServiceError);
  expect(error).toMatchObject({ code: "invalid_signature" });
  expect(String(error)).not.toContain(signingSecret);
});

test.each(["", undefined])("takes no delivery without a secret: %j", async (missing) => {
  const forged = { "X-RR-Signature": signatureOf(body, "") };

  await expect(verifyWebhook(body, forged, missing as string)).rejects.toThrow(
    new TypeError("secret: the endpoint's signingSecret is expected"),
  );
});
