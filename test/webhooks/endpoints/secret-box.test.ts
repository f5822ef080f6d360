import {
  GetSecretValueCommand,
  InternalServiceError,
  InvalidParameterException,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { SecretBox } from "#webhooks/endpoints/secret-box";
import { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import { SimulatedSecrets } from "../../../tools/simulation/aws/secrets.ts";
import { runtimeAt } from "../../builders/runtime.ts";

const client = new SecretsManagerClient({ region: "eu-west-1" });
const manager = mockClient(client);
const FIRST = { current: "1", "1": "generated-by-secrets-manager-1" };
const ROTATED = { ...FIRST, current: "2", "2": "generated-by-secrets-manager-2" };
const OUTAGE = new InternalServiceError({ message: "outage", $metadata: { httpStatusCode: 500 } });

let secretsManager: SimulatedSecrets;
const aBox = () => new SecretBox(client, "keyring", runtime);
const holds = (keyring: object) =>
  manager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify(keyring) });
/** Keeps a keyring where rotations replace it. @returns what is current in it */
function keptInSecretsManager(keyring: object): () => object {
  secretsManager = new SimulatedSecrets({ keyring: JSON.stringify(keyring) });
  const handle = (action: string) => (input: object) => secretsManager.handle(action, input);
  manager.on(GetSecretValueCommand).callsFake(handle("GetSecretValue"));
  manager.on(PutSecretValueCommand).callsFake(handle("PutSecretValue"));
  manager.on(UpdateSecretVersionStageCommand).callsFake(handle("UpdateSecretVersionStage"));
  const current = () => secretsManager.handle("GetSecretValue", { SecretId: "keyring" });
  return () => JSON.parse((current() as { SecretString: string }).SecretString);
}
const reads = () => manager.commandCalls(GetSecretValueCommand).length;

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

  test("does not open under another key of the same name", async () => {
    const sealed = await aBox().seal("secret", "context");
    holds({ current: "1", "1": "another" });

    await expect(aBox().open(sealed, "context")).rejects.toThrow();
  });
});

describe("the keyring", () => {
  test("is read once per process, however many secrets are opened concurrently", async () => {
    const sealed = await aBox().seal("secret", "context");
    manager.resetHistory();
    const box = aBox();

    await Promise.all(Array.from({ length: 20 }, () => box.open(sealed, "context")));
    await box.seal("another", "context");

    expect(reads()).toBe(1);
    expect(manager.commandCalls(GetSecretValueCommand)[0]?.args[0].input).toEqual({ SecretId: "keyring" });
  });

  test("that gains a key opens what the old one sealed, and seals with the new one", async () => {
    const old = await aBox().seal("old", "context");
    holds(ROTATED);
    const box = aBox();

    await expect(box.open(old, "context")).resolves.toBe("old");
    const sealed = await box.seal("new", "context");
    expect(sealed).toMatch(/^2\./);
    await expect(box.open(sealed, "context")).resolves.toBe("new");
  });

  test("is read again if a secret needs an unknown key", async () => {
    const longRunning = aBox();
    const old = await longRunning.seal("old", "context");
    holds(ROTATED);
    const sealedElsewhere = await aBox().seal("new", "context");
    manager.resetHistory();

    await expect(longRunning.open(sealedElsewhere, "context")).resolves.toBe("new");
    await expect(longRunning.open(sealedElsewhere, "context")).resolves.toBe("new");
    await expect(longRunning.open(old, "context")).resolves.toBe("old");
    expect(reads()).toBe(1);
  });

  test("that gains a key seals with it in every process within 15 minutes", async () => {
    let now = new Date("2026-06-01T12:00:00Z");
    const longRunning = new SecretBox(
      client,
      "keyring",
      runtimeAt(() => now),
    );
    await longRunning.seal("first", "context");
    holds(ROTATED);

    now = new Date("2026-06-01T12:15:00Z");
    await expect(longRunning.seal("second", "context")).resolves.toMatch(/^1\./);
    now = new Date("2026-06-01T12:15:01Z");
    await expect(longRunning.seal("third", "context")).resolves.toMatch(/^2\./);
    expect(reads()).toBe(2);
  });

  test("that is rotated gains a key, which seals at once, and keeps its other keys", async () => {
    const old = await aBox().seal("old", "context");
    const box = aBox();
    await box.open(old, "context");
    const held = keptInSecretsManager({ ...ROTATED, "10": "generated-by-secrets-manager-10" });

    await expect(box.rotate()).resolves.toBe("11");

    expect(held()).toEqual({
      ...ROTATED,
      "10": "generated-by-secrets-manager-10",
      "11": expect.stringMatching(/^[\w-]{64}$/),
      current: "11",
    });
    manager.resetHistory();
    const sealed = await box.seal("new", "context");
    expect(sealed).toMatch(/^11\./);
    expect(reads()).toBe(0);
    await expect(aBox().open(sealed, "context")).resolves.toBe("new");
    await expect(box.open(old, "context")).resolves.toBe("old");
  });

  test("that is rotated twice concurrently gains two keys", async () => {
    const held = keptInSecretsManager(FIRST);
    const [one, other] = [aBox(), aBox()];

    const ids = await Promise.all([one.rotate(), other.rotate()]);

    expect(ids.toSorted()).toEqual(["2", "3"]);
    expect(held()).toMatchObject({ ...FIRST, current: "3" });
    // Without the label, Secrets Manager makes what is put the current one at once.
    for (const { args } of manager.commandCalls(PutSecretValueCommand)) {
      expect(args[0].input.VersionStages).toEqual(["AWSPENDING"]);
    }
    const sealed = await Promise.all([one.seal("one", "context"), other.seal("other", "context")]);
    const opened = sealed.map((ciphertext) => aBox().open(ciphertext, "context"));
    expect(await Promise.all(opened)).toEqual(["one", "other"]);
  });

  test("that is rotated with a lost response gains one key", async () => {
    const held = keptInSecretsManager(FIRST);
    manager.on(UpdateSecretVersionStageCommand).callsFake((input) => {
      secretsManager.handle("UpdateSecretVersionStage", input);
      throw new InvalidParameterException({ message: "The label is not on that version.", $metadata: {} });
    });

    await expect(aBox().rotate()).resolves.toBe("2");

    expect(Object.keys(held()).sort()).toEqual(["1", "2", "current"]);
  });

  const othersRotate = () =>
    secretsManager.handle("PutSecretValue", {
      SecretId: "keyring",
      SecretString: JSON.stringify(ROTATED),
    });

  test("that others keep rotating is rotated later", async () => {
    keptInSecretsManager(FIRST);
    manager.on(UpdateSecretVersionStageCommand).callsFake((input) => {
      othersRotate();
      return secretsManager.handle("UpdateSecretVersionStage", input);
    });

    await expect(aBox().rotate()).rejects.toMatchObject({ code: "service_unavailable" });
    expect(manager.commandCalls(PutSecretValueCommand)).toHaveLength(5);
  });

  test("that others rotate during an outage is not rotated again", async () => {
    keptInSecretsManager(FIRST);
    manager.on(UpdateSecretVersionStageCommand).callsFake(() => {
      othersRotate();
      throw OUTAGE;
    });

    await expect(aBox().rotate()).rejects.toThrow("outage");
    expect(manager.commandCalls(PutSecretValueCommand)).toHaveLength(1);
  });

  test("whose rotation is refused for another reason says so", async () => {
    keptInSecretsManager(FIRST);
    const refusal = new InvalidParameterException({ message: "The secret is damaged.", $metadata: {} });
    manager.on(UpdateSecretVersionStageCommand).rejects(refusal);

    await expect(aBox().rotate()).rejects.toThrow(refusal);
  });

  test("that cannot be rotated stays as it is", async () => {
    const held = keptInSecretsManager(FIRST);
    manager.on(UpdateSecretVersionStageCommand).rejects(OUTAGE);

    await expect(aBox().rotate()).rejects.toThrow("outage");

    expect(held()).toEqual(FIRST);
  });

  test("lists its former keys from its current version", async () => {
    const box = aBox();
    await expect(box.formerKeys()).resolves.toEqual(["2"]);
    holds(ROTATED);

    await expect(box.formerKeys()).resolves.toEqual(["1", "3"]);
  });

  test("that lacks a secret's key names that key", async () => {
    await expect(aBox().open("7.AAAA", "context")).rejects.toThrow("7");
  });

  test("that cannot be read is read again the next time", async () => {
    const sealed = await aBox().seal("secret", "context");
    const box = aBox();
    manager.on(GetSecretValueCommand).rejects(OUTAGE);

    await expect(box.open(sealed, "context")).rejects.toThrow("outage");
    await expect(box.seal("secret", "context")).rejects.toThrow("outage");

    holds(FIRST);
    await expect(box.open(sealed, "context")).resolves.toBe("secret");
  });

  test("that is cached stays usable after a failed read for an unknown key", async () => {
    const box = aBox();
    const sealed = await box.seal("secret", "context");
    manager.on(GetSecretValueCommand).rejects(OUTAGE);

    await expect(box.open("7.AAAA", "context")).rejects.toThrow();

    await expect(box.open(sealed, "context")).resolves.toBe("secret");
  });

  test.each([
    ["is no JSON", "nonsense"],
    ["has no current key", JSON.stringify({ "1": "key" })],
    ["holds something else than texts", JSON.stringify({ current: "1", "1": 7 })],
    ["is empty", ""],
  ])("that %s is an error and is not cached", async (_what, SecretString) => {
    manager.on(GetSecretValueCommand).resolves({ SecretString });
    const box = aBox();

    await expect(box.seal("secret", "context")).rejects.toThrow();

    holds(FIRST);
    await expect(box.seal("secret", "context")).resolves.toMatch(/^1\./);
  });

  test("whose current key is missing seals nothing", async () => {
    holds({ current: "2", "1": "key" });

    await expect(aBox().seal("secret", "context")).rejects.toThrow("2");
  });

  test("that does not exist fails with ResourceNotFoundException", async () => {
    manager
      .on(GetSecretValueCommand)
      .rejects(new ResourceNotFoundException({ message: "no keyring", $metadata: {} }));

    await expect(aBox().seal("secret", "context")).rejects.toThrow(ResourceNotFoundException);
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
