import { hkdfSync } from "node:crypto";
import { GetSecretValueCommand, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as z from "zod/mini";
import { MINUTE } from "#runtime/durations";
import type { Runtime } from "#runtime/runtime";

const KEY_BYTES = 32;
/** How long a process seals with the current key, in ms, before it reads the keyring again. */
const SEALS_WITHOUT_READING_FOR_MS = 15 * MINUTE;

/** The text of the secret in Secrets Manager: the id of the current key, and the keys by their ids. */
const KeyringText = z.catchall(z.object({ current: z.string() }), z.string());

/** A version of the keyring in Secrets Manager. */
export interface KeyringVersion {
  readonly versionId: string;
  /** The id of the key that seals. */
  readonly current: string;
  /** Every key that ciphertexts may reference, by its id. */
  readonly keys: Readonly<Record<string, string>>;
}

/** A key that seals and opens secrets. */
export interface SealingKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/**
 * The keys with which secrets are sealed. Each process caches them. They are read again if a ciphertext references an
 * unknown key or does not open, and before sealing if the cached copy is over 15 minutes old, so that keys can be
 * rotated, and corrected, while processes run.
 */
export class Keyring {
  readonly #client: SecretsManagerClient;
  readonly #secretId: string;
  readonly #now: Runtime["now"];
  #version: Promise<KeyringVersion> | undefined;
  #readAt = 0;

  constructor(client: SecretsManagerClient, secretId: string, now: Runtime["now"]) {
    this.#client = client;
    this.#secretId = secretId;
    this.#now = now;
  }

  /** The key with which secrets are sealed now. */
  async current(): Promise<SealingKey> {
    const stale = this.#now().getTime() - this.#readAt > SEALS_WITHOUT_READING_FOR_MS;
    const version = await this.#read({ again: stale });
    const key = keyOf(version, version.current);
    if (!key) throw new Error(`The keyring has no key ${version.current}.`);
    return { id: version.current, key };
  }

  /** @returns undefined if the keyring has no such key */
  async find(keyId: string): Promise<Uint8Array | undefined> {
    return keyOf(await this.#read(), keyId) ?? this.findAgain(keyId);
  }

  /** The same in the keyring as it is now. */
  async findAgain(keyId: string): Promise<Uint8Array | undefined> {
    return keyOf(await this.#read({ again: true }), keyId);
  }

  /**
   * The ids of the keys, except for the current one, with which secrets may be sealed. First those of the keyring,
   * which only open secrets; then those that it lacks because they were lost, up to the one that would be next. Reads
   * the keyring again.
   */
  async former(): Promise<string[]> {
    const version = await this.#read({ again: true });
    const former = Object.keys(version.keys).filter((keyId) => keyId !== version.current);
    const all = Array.from({ length: nextKeyIdOf(version) }, (_, index) => String(index + 1));
    return [...former, ...all.filter((keyId) => !(keyId in version.keys))];
  }

  /** The cached keyring, or the keyring read again. If that read fails, the cached one is kept. */
  async #read({ again = false } = {}): Promise<KeyringVersion> {
    const known = this.#version;
    if (known && !again) return known;
    const reading = readKeyring(this.#client, this.#secretId);
    this.#version = known ?? reading;
    try {
      const version = await reading;
      this.#version = reading;
      this.#readAt = this.#now().getTime();
      return version;
    } catch (error) {
      if (this.#version === reading) this.#version = undefined;
      throw error;
    }
  }
}

/** Reads the current version of the keyring. */
export async function readKeyring(client: SecretsManagerClient, secretId: string): Promise<KeyringVersion> {
  const { SecretString = "", VersionId = "" } = await client.send(
    new GetSecretValueCommand({ SecretId: secretId }),
  );
  const { current, ...keys } = KeyringText.parse(JSON.parse(SecretString));
  return { versionId: VersionId, current, keys };
}

/** The number that is the id of a keyring's next key. */
export function nextKeyIdOf({ keys }: KeyringVersion): number {
  return Math.max(...Object.keys(keys).map(Number)) + 1;
}

// Secrets Manager generates passwords, not keys: HKDF (RFC 5869) derives a key from one.
function keyOf({ keys }: KeyringVersion, keyId: string): Uint8Array | undefined {
  const material = Object.hasOwn(keys, keyId) && keys[keyId];
  if (!material) return undefined;
  return new Uint8Array(hkdfSync("sha256", material, "", "webhook signing secrets", KEY_BYTES));
}
