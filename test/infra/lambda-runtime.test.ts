import { Md5 as SdkMd5, Sha256 as SdkSha256 } from "@smithy/core/checksum";
import { describe, expect, test } from "vitest";
import { Md5, Sha256 } from "../../infra/lambda-runtime/checksum.ts";

/*
 * AWS refuses requests with a wrong signature, and the SDK a message with a wrong hash. No engine of the local stack
 * checks signatures.
 */

const BYTES = new Uint8Array([0, 128, 255]);

describe.each([
  ["SHA-256", () => [new Sha256(), new SdkSha256()] as const],
  ["HMAC-SHA-256 with a text", () => [new Sha256("AWS4secret"), new SdkSha256("AWS4secret")] as const],
  ["HMAC-SHA-256 with bytes", () => [new Sha256(BYTES), new SdkSha256(BYTES)] as const],
  ["MD5", () => [new Md5(), new SdkMd5()] as const],
])("the functions' %s", (_name, hashes) => {
  test.each([
    ["nothing", []],
    ["text", ["Zoë"]],
    ["several parts", ["a", BYTES, "é"]],
  ])("of %s is the SDK's own", async (_what, parts) => {
    const [ours, sdk] = hashes();
    for (const part of parts) {
      ours.update(part);
      sdk.update(typeof part === "string" ? Buffer.from(part) : part);
    }

    expect(Buffer.from(await ours.digest())).toEqual(Buffer.from(await sdk.digest()));
  });

  test("begins anew when it is reset", async () => {
    const [ours, sdk] = hashes();
    ours.update("discarded");
    ours.reset();
    ours.update(BYTES);
    sdk.update(BYTES);

    expect(Buffer.from(await ours.digest())).toEqual(Buffer.from(await sdk.digest()));
  });
});
