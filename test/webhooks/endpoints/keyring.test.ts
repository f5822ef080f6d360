import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { Keyring } from "#webhooks/endpoints/keyring";
import { FIRST, OUTAGE, ROTATED } from "./keyrings.ts";

const client = new SecretsManagerClient({ region: "eu-west-1" });
const manager = mockClient(client);

const aKeyring = (now = runtime.now) => new Keyring(client, "keyring", now);
const holds = (keyring: object) =>
  manager.on(GetSecretValueCommand).resolves({ SecretString: JSON.stringify(keyring) });
const reads = () => manager.commandCalls(GetSecretValueCommand).length;

beforeEach(() => {
  manager.reset();
  holds(FIRST);
});

describe("the keyring", () => {
  test("is read once per process, however many keys are needed concurrently", async () => {
    const keyring = aKeyring();

    await Promise.all(Array.from({ length: 20 }, () => keyring.find("1")));
    await keyring.current();

    expect(reads()).toBe(1);
    expect(manager.commandCalls(GetSecretValueCommand)[0]?.args[0].input).toEqual({ SecretId: "keyring" });
  });

  test("has the same key in every process, and another under each id and for each text", async () => {
    const first = await aKeyring().find("1");
    holds({ ...ROTATED, "1": FIRST["1"] });
    const rotated = aKeyring();

    await expect(rotated.find("1")).resolves.toEqual(first);
    await expect(rotated.current()).resolves.toEqual({ id: "2", key: await rotated.find("2") });
    await expect(rotated.find("2")).resolves.not.toEqual(first);
    holds({ current: "1", "1": "another" });
    await expect(aKeyring().find("1")).resolves.not.toEqual(first);
  });

  test("is read again if an unknown key is needed", async () => {
    const keyring = aKeyring();
    const old = await keyring.find("1");
    holds(ROTATED);

    await expect(keyring.find("2")).resolves.toEqual((await aKeyring().current()).key);
    manager.resetHistory();
    await keyring.find("2");
    await expect(keyring.find("1")).resolves.toEqual(old);
    expect(reads()).toBe(0);
  });

  test("that gains a key seals with it in every process within 15 minutes", async () => {
    let now = new Date("2026-06-01T12:00:00Z");
    const keyring = aKeyring(() => now);
    await keyring.current();
    holds(ROTATED);

    now = new Date("2026-06-01T12:15:00Z");
    await expect(keyring.current()).resolves.toMatchObject({ id: "1" });
    now = new Date("2026-06-01T12:15:01Z");
    await expect(keyring.current()).resolves.toMatchObject({ id: "2" });
    expect(reads()).toBe(2);
  });

  test("lists its former keys from its current version", async () => {
    const keyring = aKeyring();
    await expect(keyring.former()).resolves.toEqual(["2"]);
    holds(ROTATED);

    await expect(keyring.former()).resolves.toEqual(["1", "3"]);
  });

  test.each(["7", "", "current", "__proto__", "toString"])("has no key %j", async (keyId) => {
    await expect(aKeyring().find(keyId)).resolves.toBeUndefined();
  });

  test("that cannot be read is read again the next time", async () => {
    const keyring = aKeyring();
    manager.on(GetSecretValueCommand).rejects(OUTAGE);

    await expect(keyring.find("1")).rejects.toThrow("outage");
    await expect(keyring.current()).rejects.toThrow("outage");

    holds(FIRST);
    await expect(keyring.find("1")).resolves.toBeDefined();
  });

  test("that is cached stays usable after a failed read for an unknown key", async () => {
    const keyring = aKeyring();
    await keyring.find("1");
    manager.on(GetSecretValueCommand).rejects(OUTAGE);

    await expect(keyring.find("7")).rejects.toThrow("outage");

    await expect(keyring.find("1")).resolves.toBeDefined();
  });

  test.each([
    ["is no JSON", "nonsense"],
    ["has no current key", JSON.stringify({ "1": "key" })],
    ["holds something else than texts", JSON.stringify({ current: "1", "1": 7 })],
    ["is empty", ""],
  ])("that %s is an error and is not cached", async (_what, SecretString) => {
    manager.on(GetSecretValueCommand).resolves({ SecretString });
    const keyring = aKeyring();

    await expect(keyring.current()).rejects.toThrow();

    holds(FIRST);
    await expect(keyring.current()).resolves.toMatchObject({ id: "1" });
  });

  test.each([
    ["is missing", { "1": "key" }],
    ["is empty", { "1": "key", "2": "" }],
  ])("whose current key %s seals nothing", async (_what, keys) => {
    holds({ current: "2", ...keys });

    await expect(aKeyring().current()).rejects.toThrow("The keyring has no key 2.");
  });

  test("that does not exist fails with ResourceNotFoundException", async () => {
    manager
      .on(GetSecretValueCommand)
      .rejects(new ResourceNotFoundException({ message: "no keyring", $metadata: {} }));

    await expect(aKeyring().current()).rejects.toThrow(ResourceNotFoundException);
  });
});
