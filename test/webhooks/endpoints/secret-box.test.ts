import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { Keyring } from "#webhooks/endpoints/keyring";
import { SecretBox } from "#webhooks/endpoints/secret-box";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import { FIRST, OUTAGE, ROTATED } from "./keyrings.ts";

const client = new SecretsManagerClient({ region: "eu-west-1" });
const manager = mockClient(client);

/** A box as another process has it. */
const aBox = () => new SecretBox(new Keyring(client, "keyring", runtime.now), runtime.randomBytes);
const holds = (keyring: object) =>
  manager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify(keyring) });

beforeEach(() => {
  manager.reset();
  holds(FIRST);
});

describe("a sealed secret", () => {
  test("opens with its own context, in this and in another process", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string(), async (secret, context) => {
        const box = aBox();
        const sealed = await box.seal(secret, context);

        await expect(box.open(sealed, context)).resolves.toBe(secret);
        await expect(aBox().open(sealed, context)).resolves.toBe(secret);
      }),
      { numRuns: 25 },
    );
  });

  test("opens in every later version of the service", async () => {
    const stored = "1.zCmJxBxaiZ6HNnqRZCkZ8SpALOEQedocldcFpCJG-8IMEl2B1GZqezA";

    await expect(aBox().open(stored, "acme/whe_1")).resolves.toBe("whsec_grüße");
  });

  test("names its key and shows nothing of the secret", async () => {
    const sealed = await aBox().seal("whsec_canary", "acme/whe_1");

    expect(sealed).toMatch(/^1\.[\w-]+$/);
    expect(Buffer.from(sealed.slice(2), "base64url").toString("latin1")).not.toContain("canary");
  });

  test("is another ciphertext each time", async () => {
    const box = aBox();
    const sealed = await Promise.all(Array.from({ length: 100 }, () => box.seal("same", "same")));

    expect(new Set(sealed).size).toBe(100);
  });

  test("does not open with another context", async () => {
    const box = aBox();
    const sealed = await box.seal("secret", "acme/whe_1");

    for (const context of ["acme/whe_2", "other/whe_1", "", "acme/whe_1 "]) {
      await expect(box.open(sealed, context)).rejects.toThrow();
    }
  });

  test("opens once a keyring is corrected that has another key under the id, also where that one was read", async () => {
    const sealed = await aBox().seal("secret", "context");
    holds({ ...FIRST, [FIRST.current]: "another" });
    const box = aBox();
    await expect(box.open(sealed, "context")).rejects.toThrow("cannot be opened");

    holds(FIRST);

    await expect(box.open(sealed, "context")).resolves.toBe("secret");
  });

  test("does not open if any bit of it was changed", async () => {
    const box = aBox();
    const sealed = await box.seal("secret", "context");
    const bytes = Buffer.from(sealed.slice(2), "base64url");

    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const tampered = Buffer.from(bytes);
      tampered[bit >> 3] = (tampered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expect(box.open(`1.${tampered.toString("base64url")}`, "context")).rejects.toThrow();
    }
  });

  test("does not open if it was truncated or extended", async () => {
    const box = aBox();
    const bytes = Buffer.from((await box.seal("secret", "context")).slice(2), "base64url");

    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length).toString("base64url");
      await expect(box.open(`1.${cut}`, "context")).rejects.toThrow();
    }
    const longer = Buffer.concat([bytes, Buffer.alloc(1)]).toString("base64url");
    await expect(box.open(`1.${longer}`, "context")).rejects.toThrow();
  });

  test.each(["", ".", "1", "1.", "nonsense", "2.AAAA", "current.AAAA", "__proto__.AAAA", "toString.AAAA"])(
    "in a malformed form does not open: %j",
    async (ciphertext) => {
      await expect(aBox().open(ciphertext, "context")).rejects.toThrow();
    },
  );

  test("that lost its key names that key", async () => {
    await expect(aBox().open("7.AAAA", "context")).rejects.toThrow("sealed with key 7");
  });

  test("is opened, or sealed, only when the keyring can be read", async () => {
    const sealed = await aBox().seal("secret", "context");
    manager.on(GetSecretValueCommand).rejects(OUTAGE);

    await expect(aBox().open(sealed, "context")).rejects.toBe(OUTAGE);
    await expect(aBox().seal("secret", "context")).rejects.toBe(OUTAGE);
  });

  test("opens after a rotation, and is sealed with the new key", async () => {
    const old = await aBox().seal("old", "context");
    holds(ROTATED);

    await expect(aBox().open(old, "context")).resolves.toBe("old");
    const sealed = await aBox().seal("new", "context");
    expect(sealed).toMatch(/^2\./);
    await expect(aBox().open(sealed, "context")).resolves.toBe("new");
  });

  test("does not open under another key of the same name", async () => {
    const sealed = await aBox().seal("secret", "context");
    holds({ current: "1", "1": "another" });

    await expect(aBox().open(sealed, "context")).rejects.toThrow();
  });
});

describe("the signing secret of an endpoint", () => {
  const secrets = () => new SigningSecrets(aBox(), runtime);

  test("opens for the endpoint it was issued for", async () => {
    const { signingSecret, sealedSecret } = await secrets().issue("acme", "whe_1");

    expect(signingSecret).toMatch(/^whsec_/);
    expect(sealedSecret).not.toContain(signingSecret);
    await expect(secrets().open({ orgId: "acme", id: "whe_1", sealedSecret })).resolves.toBe(signingSecret);
  });

  test.each([
    ["another endpoint", { orgId: "acme", id: "whe_2" }],
    ["another organisation", { orgId: "other", id: "whe_1" }],
  ])("does not open if it is copied to %s", async (_where, owner) => {
    const { sealedSecret } = await secrets().issue("acme", "whe_1");

    await expect(secrets().open({ ...owner, sealedSecret })).rejects.toThrow();
  });
});
