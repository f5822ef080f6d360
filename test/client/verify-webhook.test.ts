import { Readable } from "node:stream";
import { runInNewContext } from "node:vm";
import { expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { runtime } from "#runtime/runtime";
import { newSigningSecret, standardSignatureOf } from "#webhooks/endpoints/signature";
import { CandidateServiceError, verifyWebhook, type WebhookEvent } from "../../client/src/index.ts";

const body = JSON.stringify({
  id: "evt_1",
  type: "candidate.validation_failed",
  data: { externalId: "Zoë", reasons: [{ code: "cv_unreadable", message: "Unreadable." }] },
});
const secret = newSigningSecret(runtime.randomBytes);
const now = new Date("2026-11-22T09:00:00.400Z");
const timestamp = "1795338000";
const signedWith = (signingSecret: string, parts: object = {}) =>
  standardSignatureOf({ eventId: "evt_1", timestamp: Number(timestamp), body, ...parts }, signingSecret);
const genuine = signedWith(secret);
const others = newSigningSecret(runtime.randomBytes);
const headersOf = (signature: string, parts: Record<string, string> = {}) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
  ...parts,
});

test.each<[string, string | Uint8Array | ArrayBuffer, Parameters<typeof verifyWebhook>[1]]>([
  ["text and a plain object", body, headersOf(genuine)],
  [
    "bytes and names in capitals",
    Buffer.from(body),
    { "Webhook-Id": "evt_1", "WEBHOOK-TIMESTAMP": timestamp, "Webhook-Signature": genuine },
  ],
  ["an ArrayBuffer and Headers", Buffer.from(body).buffer.slice(0), new Headers(headersOf(genuine))],
  [
    "headers of a framework's own class",
    body,
    { get: (name: string) => new Headers(headersOf(genuine)).get(name) } as Headers,
  ],
  ["headers as lists", body, { ...headersOf(genuine), "webhook-signature": [genuine] }],
  ["the secret from before a rotation", body, headersOf(`${signedWith(others)} ${genuine}`)],
  ["the secret from after a rotation", body, headersOf(`${genuine} ${signedWith(others)}`)],
  ["a signature of a later scheme beside it", body, headersOf(`v1a,AAAA ${genuine}`)],
])("verifyWebhook returns the event of a genuine delivery: %s", async (_, rawBody, headers) => {
  const exact = rawBody instanceof ArrayBuffer ? new TextEncoder().encode(body).buffer : rawBody;

  const event = await verifyWebhook(exact, headers, secret, { now });

  expect(event).toEqual(JSON.parse(body));
  expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
  if (event.type === "candidate.validation_failed") {
    expectTypeOf(event.data.reasons).toEqualTypeOf<{ code: string; message: string }[]>();
  }
});

test("verifyWebhook accepts a signing secret of 24 bytes", async () => {
  const short = `whsec_${Buffer.alloc(24, 0xfb).toString("base64")}`;

  await expect(verifyWebhook(body, headersOf(signedWith(short)), short, { now })).resolves.toEqual(
    JSON.parse(body),
  );
});

const withAnotherByte = (signature: string) => {
  const bytes = Buffer.from(signature.slice("v1,".length), "base64");
  return `v1,${Buffer.concat([bytes, Buffer.of(0)]).toString("base64")}`;
};

const withOtherFirstByte = (signature: string) => {
  const bytes = Buffer.from(signature.slice("v1,".length), "base64");
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return `v1,${bytes.toString("base64")}`;
};
const without = (name: string) => ({ ...headersOf(genuine), [name]: undefined });

test.each([
  ["another body", body.replace("Zoë", "Zoe"), headersOf(genuine), secret],
  ["another secret", body, headersOf(genuine), newSigningSecret(runtime.randomBytes)],
  ["no signature", body, without("webhook-signature"), secret],
  ["no id", body, without("webhook-id"), secret],
  ["no time", body, without("webhook-timestamp"), secret],
  ["an empty signature", body, headersOf(""), secret],
  ["a signature with another first byte", body, headersOf(withOtherFirstByte(genuine)), secret],
  ["a shortened signature", body, headersOf(genuine.slice(0, -4)), secret],
  ["a signature with a byte more", body, headersOf(withAnotherByte(genuine)), secret],
  ["the signature of another scheme", body, headersOf(genuine.replace("v1,", "v2,")), secret],
  [
    "a time in fractions of a second",
    body,
    headersOf(signedWith(secret, { timestamp: 1_795_338_000.5 }), { "webhook-timestamp": "1795338000.5" }),
    secret,
  ],
  ["a signature that is not base64", body, headersOf("v1,*"), secret],
  ["no scheme", body, headersOf(genuine.slice("v1,".length)), secret],
  ["another scheme", body, headersOf(genuine.replace("v1,", "v1a,")), secret],
  ["a parsed body written again", `${body} `, headersOf(genuine), secret],
  ["another time", body, headersOf(genuine, { "webhook-timestamp": "1795338001" }), secret],
  [
    "a time that is no whole number of seconds",
    body,
    headersOf(genuine, { "webhook-timestamp": "1795338e3" }),
    secret,
  ],
  [
    "a time in hexadecimal, genuinely signed",
    body,
    headersOf(signedWith(secret), { "webhook-timestamp": "0x6b02eb90" }),
    secret,
  ],
  [
    "a body that is not JSON, genuinely signed",
    "event",
    headersOf(signedWith(secret, { body: "event" })),
    secret,
  ],
  ["a body that is null, genuinely signed", "null", headersOf(signedWith(secret, { body: "null" })), secret],
  ["another id", body, headersOf(genuine, { "webhook-id": "evt_2" }), secret],
  [
    "an id that is not ASCII, genuinely signed",
    '{"id":"evt_é"}',
    headersOf(signedWith(secret, { eventId: "evt_é", body: '{"id":"evt_é"}' }), { "webhook-id": "evt_é" }),
    secret,
  ],
  [
    "the id of another event, genuinely signed",
    body,
    headersOf(signedWith(secret, { eventId: "evt_2" }), { "webhook-id": "evt_2" }),
    secret,
  ],
])("verifyWebhook refuses a delivery with %s", async (_, rawBody, headers, signingSecret) => {
  const error = await verifyWebhook(rawBody, headers, signingSecret, { now }).catch(
    (thrown: unknown) => thrown,
  );

  expect(error).toBeInstanceOf(CandidateServiceError);
  expect(error).toMatchObject({ code: "invalid_signature" });
  expect(String(error)).not.toContain(signingSecret);
});

test.each([
  [headersOf(genuine, { "webhook-id": "evt 1" }), body, "The header webhook-id is not an event's id."],
  [
    headersOf(signedWith(others)),
    body,
    "The signature does not match: check that the secret is this endpoint's, and that the body is what was received, byte for byte.",
  ],
  [
    headersOf(signedWith(secret, { eventId: "evt_2" }), { "webhook-id": "evt_2" }),
    body,
    "The header webhook-id is not the id of the event in the body.",
  ],
  [headersOf(signedWith(secret, { body: "{" })), "{", "The body is not JSON."],
])("verifyWebhook says why it refuses a delivery (%#)", async (headers, rawBody, message) => {
  await expect(verifyWebhook(rawBody, headers, secret, { now })).rejects.toThrow(message);
});

const at = (seconds: number) => new Date((Number(timestamp) + seconds) * 1_000);

test.each([
  ["five minutes old", 300, true],
  ["older", 301, false],
  ["five minutes in the future", -300, true],
  ["further in the future", -301, false],
])("verifyWebhook checks the timestamp of a delivery that is %s", async (_, seconds, isTaken) => {
  const verified = verifyWebhook(body, headersOf(genuine), secret, { now: at(seconds) });

  await (isTaken ? expect(verified).resolves.toBeDefined() : expect(verified).rejects.toThrow(/replay/));
});

test("verifyWebhook computes one signature, even for thousands of signatures in the header", async () => {
  const sign = vi.spyOn(crypto.subtle, "sign");
  onTestFinished(() => sign.mockRestore());

  await expect(
    verifyWebhook(body, headersOf(`${"v1, ".repeat(4_000)}${genuine}`), secret, { now }),
  ).resolves.toBeDefined();

  expect(sign).toHaveBeenCalledOnce();
});

test("verifyWebhook accepts another timestamp tolerance", async () => {
  await expect(
    verifyWebhook(body, headersOf(genuine), secret, { now: at(61), toleranceSeconds: 60 }),
  ).rejects.toThrow("more than 60 seconds in the past or the future");
});

test("verifyWebhook compares the timestamp with the system clock by default", async () => {
  const current = String(Math.floor(Date.now() / 1_000));
  const signature = signedWith(secret, { timestamp: Number(current) });

  await expect(
    verifyWebhook(body, headersOf(signature, { "webhook-timestamp": current }), secret),
  ).resolves.toBeDefined();
  await expect(verifyWebhook(body, headersOf(genuine), secret)).rejects.toThrow(/replay/);
});

const isMissing = "secret: the secret is missing; pass the endpoint's signingSecret";
const isNone = "secret: it is not a signing secret; pass the endpoint's whole signingSecret, whsec_ included";
test.each([
  ["", isMissing],
  [undefined, isMissing],
  [null, isMissing],
  ["whsec_", isNone],
  ["secret", isNone],
  ["whsec_*", isNone],
  ["whsec_null", isNone],
  [`whsec_${Buffer.alloc(23, 1).toString("base64")}`, isNone],
  [`whsec_${Buffer.alloc(24, 0xfb).toString("base64url")}`, isNone],
  [7, isNone],
])("verifyWebhook refuses every delivery without a valid secret: %j", async (given, message) => {
  await expect(verifyWebhook(body, headersOf(genuine), given as string, { now })).rejects.toThrow(
    new TypeError(message),
  );
});

const passRaw = "pass the raw body, its bytes or text as received, before any JSON parser";
test.each([
  ["a parsed object", JSON.parse(body), `you passed a parsed object; ${passRaw}`],
  ["a parsed list", [], `you passed a parsed object; ${passRaw}`],
  ["nothing", undefined, `the body is missing; ${passRaw}`],
  ["null", null, `the body is missing; ${passRaw}`],
  ["a promise", Promise.resolve(body), `you passed a promise; await it; ${passRaw}`],
  [
    "a request",
    new Request("https://example.com"),
    `you passed a request or a stream; read it first; ${passRaw}`,
  ],
  ["a stream", new ReadableStream(), `you passed a request or a stream; read it first; ${passRaw}`],
  ["Node's request", new Readable(), `you passed a request or a stream; read it first; ${passRaw}`],
])("verifyWebhook says so if the body is %s", async (_, given, message) => {
  await expect(verifyWebhook(given, headersOf(genuine), secret, { now })).rejects.toThrow(
    new TypeError(`rawBody: ${message}`),
  );
});

const isList = "you passed a list, such as rawHeaders";
test.each([
  ...[undefined, null, "webhook-id: evt_1", 7].map((given) => [given, "the headers are missing"] as const),
  [["webhook-id", "evt_1"], isList],
  [[["webhook-id", "evt_1"]], isList],
] as const)("verifyWebhook says so if the headers are none: %j", async (given, mistake) => {
  await expect(verifyWebhook(body, given as never, secret, { now })).rejects.toThrow(
    new TypeError(
      `headers: ${mistake}; pass the request's Headers, or an object with a member for each header`,
    ),
  );
});

test("verifyWebhook says so if the headers are a promise, as in Next.js", async () => {
  const headers = Promise.resolve(new Headers(headersOf(genuine)));

  await expect(verifyWebhook(body, headers as never, secret, { now })).rejects.toThrow(
    new TypeError("headers: you passed a promise; await it"),
  );
});

test("verifyWebhook says so if the headers are the request", async () => {
  const request = new Request("https://example.com", { headers: headersOf(genuine) });

  await expect(verifyWebhook(body, request as never, secret, { now })).rejects.toThrow(
    new TypeError("headers: you passed the request; pass its headers"),
  );
});

const tolerance = "toleranceSeconds: a finite number of seconds, 0 or more, is expected";
test.each<[object, string]>([
  [300 as never, "options: an object is expected"],
  [
    { now, tolerance: 0 },
    "options: verifyWebhook has no option tolerance; expected are toleranceSeconds, now",
  ],
  ...[Number.NaN, null, -1, Number.POSITIVE_INFINITY, "300"].map((toleranceSeconds): [object, string] => [
    { toleranceSeconds, now },
    tolerance,
  ]),
  ...[null, timestamp, Number(timestamp), new Date("never")].map((given): [object, string] => [
    { now: given },
    "now: a valid Date is expected",
  ]),
])(
  "verifyWebhook refuses every delivery, also a genuine one, with the options %o",
  async (options, message) => {
    await expect(verifyWebhook(body, headersOf(genuine), secret, options)).rejects.toThrow(
      new TypeError(message),
    );
  },
);

test("verifyWebhook accepts a tolerance of nothing", async () => {
  await expect(
    verifyWebhook(body, headersOf(genuine), secret, { now: at(0), toleranceSeconds: 0 }),
  ).resolves.toBeDefined();
});

test("verifyWebhook accepts bytes that come from another realm", async () => {
  const foreign = runInNewContext("new Uint8Array(bytes)", { bytes: [...Buffer.from(body)] });

  await expect(verifyWebhook(foreign, headersOf(genuine), secret, { now })).resolves.toBeDefined();
});
