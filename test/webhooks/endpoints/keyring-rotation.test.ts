import {
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { Keyring } from "#webhooks/endpoints/keyring";
import { KeyringRotation } from "#webhooks/endpoints/keyring-rotation";
import { SimulatedSecrets } from "../../../tools/simulation/aws/secrets.ts";
import { FIRST, OUTAGE, ROTATED } from "./keyrings.ts";

const client = new SecretsManagerClient({ region: "eu-west-1" });
const manager = mockClient(client);

let secretsManager: SimulatedSecrets;
const aKeyring = () => new Keyring(client, "keyring", runtime.now);
const aRotation = () => new KeyringRotation(client, "keyring", runtime.randomBytes);

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

beforeEach(() => {
  manager.reset();
});

describe("the keyring", () => {
  test("that is rotated gains a key, which seals at once, and keeps its other keys", async () => {
    const held = keptInSecretsManager({ ...ROTATED, "10": "generated-by-secrets-manager-10" });
    const old = await aKeyring().current();

    await expect(aRotation().rotate()).resolves.toBe("11");

    expect(held()).toEqual({
      ...ROTATED,
      "10": "generated-by-secrets-manager-10",
      "11": expect.stringMatching(/^[\w-]{64}$/),
      current: "11",
    });
    const rotated = aKeyring();
    await expect(rotated.current()).resolves.toEqual({ id: "11", key: await rotated.find("11") });
    await expect(rotated.find(old.id)).resolves.toEqual(old.key);
  });

  test("that is rotated twice concurrently gains two keys", async () => {
    const held = keptInSecretsManager(FIRST);

    const ids = await Promise.all([aRotation().rotate(), aRotation().rotate()]);

    expect(ids.toSorted()).toEqual(["2", "3"]);
    expect(held()).toMatchObject({ ...FIRST, current: "3" });
    // Without the label, Secrets Manager makes what is put the current one at once.
    for (const { args } of manager.commandCalls(PutSecretValueCommand)) {
      expect(args[0].input.VersionStages).toEqual(["AWSPENDING"]);
    }
  });

  test("that is rotated with a lost response gains one key", async () => {
    const held = keptInSecretsManager(FIRST);
    manager.on(UpdateSecretVersionStageCommand).callsFake((input) => {
      secretsManager.handle("UpdateSecretVersionStage", input);
      throw new InvalidParameterException({ message: "The label is not on that version.", $metadata: {} });
    });

    await expect(aRotation().rotate()).resolves.toBe("2");

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

    await expect(aRotation().rotate()).rejects.toMatchObject({ code: "service_unavailable" });
    expect(manager.commandCalls(PutSecretValueCommand)).toHaveLength(5);
  });

  test("that others rotate during an outage is not rotated again", async () => {
    keptInSecretsManager(FIRST);
    manager.on(UpdateSecretVersionStageCommand).callsFake(() => {
      othersRotate();
      throw OUTAGE;
    });

    await expect(aRotation().rotate()).rejects.toThrow("outage");
    expect(manager.commandCalls(PutSecretValueCommand)).toHaveLength(1);
  });

  test("whose rotation is refused for another reason says so", async () => {
    keptInSecretsManager(FIRST);
    const refusal = new InvalidParameterException({ message: "The secret is damaged.", $metadata: {} });
    manager.on(UpdateSecretVersionStageCommand).rejects(refusal);

    await expect(aRotation().rotate()).rejects.toThrow(refusal);
  });

  test("that cannot be rotated stays as it is", async () => {
    const held = keptInSecretsManager(FIRST);
    manager.on(UpdateSecretVersionStageCommand).rejects(OUTAGE);

    await expect(aRotation().rotate()).rejects.toThrow("outage");

    expect(held()).toEqual(FIRST);
  });
});
