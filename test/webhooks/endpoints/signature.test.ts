import { webcrypto } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { newSigningSecret, signatureOf } from "#webhooks/endpoints/signature";
import { openssl } from "../openssl.ts";

describe("a webhook signature", () => {
  test("equals the one that openssl computes from the raw body and the whole secret", () => {
    const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE";
    const body = '{"id":"evt_1","data":{"externalId":"Ünïcode 😀 \\u2028\\n"}}';

    const digest = openssl(["dgst", "-sha256", "-hmac", secret, "-r"], body);

    expect(signatureOf(body, secret)).toBe(`sha256=${digest.split(" ")[0]}`);
  });

  test("equals the one that Web Cryptography computes from any body in UTF-8", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string({ minLength: 1 }), async (body, secret) => {
        expect(signatureOf(body, secret)).toBe(`sha256=${await independentHmac(body, secret)}`);
      }),
      { numRuns: 50 },
    );
  });

  test("follows RFC 4231, test case 2", () => {
    expect(signatureOf("what do ya want for nothing?", "Jefe")).toBe(
      "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  test("changes with each byte of body or secret", () => {
    const signature = signatureOf('{"a":1}', "secret");

    expect(signatureOf('{"a":1} ', "secret")).not.toBe(signature);
    expect(signatureOf('{"a":2}', "secret")).not.toBe(signature);
    expect(signatureOf('{"a":1}', "secreT")).not.toBe(signature);
  });
});

describe("a signing secret", () => {
  test("is whsec_ and 32 bytes in padded base64", () => {
    const secret = newSigningSecret(() => Buffer.alloc(32, 0xfb));

    expect(secret).toBe("whsec_+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=");
    expect(newSigningSecret(runtime.randomBytes)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  test("is different each time", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newSigningSecret(runtime.randomBytes))).size).toBe(
      1_000,
    );
  });
});

async function independentHmac(body: string, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await webcrypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const mac = await webcrypto.subtle.sign("HMAC", key, encoder.encode(body));
  return Buffer.from(mac).toString("hex");
}
