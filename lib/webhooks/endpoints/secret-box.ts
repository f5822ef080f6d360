import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import {
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod/mini";
import { LOST, newRace } from "#runtime/race";
import type { Runtime } from "#runtime/runtime";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
/** NIST SP 800-38D section 8.2 recommends 96 bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How long a process seals with the current key, in ms, before it reads the keyring again. */
const SEALS_WITHOUT_READING_FOR_MS = 15 * 60_000;
/** 64 characters in base64url, as many as Secrets Manager generates for the first key (infra/keyring.ts). */
const KEY_MATERIAL_BYTES = 48;
/** The most attempts at a rotation while concurrent ones succeed first. */
const ROTATION_ATTEMPTS = 5;

/** The secret in Secrets Manager: every key that ciphertexts may reference, and the id of the current one. */
const Keyring = z.catchall(z.object({ current: z.string() }), z.string());
type Keyring = z.infer<typeof Keyring>;

/** A sealed secret was modified, belongs to another owner, or references a key that the keyring does not have. */
export class UnopenableSecret extends Error {
  override readonly name = "UnopenableSecret";

  constructor(keyId: string, options: ErrorOptions) {
    super(`The secret that is sealed with key ${keyId} cannot be opened.`, options);
  }
}

/** The sources that sealing uses. */
type SecretSources = Pick<Runtime, "now" | "randomBytes">;

/**
 * Seals signing secrets with AES-256-GCM under a key in Secrets Manager. Each process caches the keyring. It is read
 * again if a ciphertext references an unknown key, and before sealing if the cached copy is over 15 minutes old, so
 * that keys can be rotated while processes run.
 */
export class SecretBox {
  readonly #client: SecretsManagerClient;
  readonly #secretId: string;
  readonly #sources: SecretSources;
  #keyring: Promise<Keyring> | undefined;
  #readAt = 0;

  constructor(client: SecretsManagerClient, secretId: string, sources: SecretSources) {
    this.#client = client;
    this.#secretId = secretId;
    this.#sources = sources;
  }

  /** @param context identifies the owner of the secret, which can be opened only with the same context */
  async seal(secret: string, context: string): Promise<string> {
    const stale = this.#sources.now().getTime() - this.#readAt > SEALS_WITHOUT_READING_FOR_MS;
    const { current, ...keys } = await this.#read({ again: stale });
    const nonce = this.#sources.randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keyFrom(keys, current), nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${current}.${sealed.toString("base64url")}`;
  }

  /**
   * The ids of the keys, except for the current one, with which secrets may be sealed. First those of the keyring, which
   * only open secrets; then those that it lacks because they were lost, up to the one that would be next. Reads the
   * keyring again.
   */
  async formerKeys(): Promise<string[]> {
    const { current, ...keys } = await this.#read({ again: true });
    const former = Object.keys(keys).filter((keyId) => keyId !== current);
    const all = Array.from({ length: nextKeyOf(keys) }, (_, index) => String(index + 1));
    return [...former, ...all.filter((keyId) => !(keyId in keys))];
  }

  /** @throws UnopenableSecret if the ciphertext was modified, belongs to another context or references a lost key */
  async open(ciphertext: string, context: string): Promise<string> {
    const keyId = sealingKeyOf(ciphertext);
    const encoded = ciphertext.slice(keyId.length + 1);
    const known = await this.#read();
    const keyring = keyId in known ? known : await this.#read({ again: true });
    try {
      return decrypted(Buffer.from(encoded, "base64url"), keyFrom(keyring, keyId), context);
    } catch (cause) {
      throw new UnopenableSecret(keyId, { cause });
    }
  }

  /**
   * Adds a new key, which seals from then on. Older keys stay, because secrets are sealed with them; so do the keys of
   * concurrent rotations.
   *
   * @returns the new key's id
   * @throws ServiceUnavailable if there are too many concurrent rotations
   */
  async rotate(): Promise<string> {
    const race = newRace(ROTATION_ATTEMPTS);
    return race(async () => {
      const { keyring: seen, versionId } = await this.#fetch();
      const { current: _, ...keys } = seen;
      const next = String(nextKeyOf(keys));
      const keyring: Keyring = {
        current: next,
        ...keys,
        [next]: Buffer.from(this.#sources.randomBytes(KEY_MATERIAL_BYTES)).toString("base64url"),
      };
      if (!(await this.#replace(versionId, keyring))) return LOST;
      this.#keyring = Promise.resolve(keyring);
      this.#readAt = this.#sources.now().getTime();
      return next;
    });
  }

  /**
   * Makes a keyring the current version, provided that the version read is still current. Secrets Manager moves a
   * staging label only from the version in the request (API reference, UpdateSecretVersionStage), so a key that
   * another rotation has added since is not lost.
   *
   * @returns whether the keyring is now current
   */
  async #replace(seen: string, keyring: Keyring): Promise<boolean> {
    const SecretId = this.#secretId;
    const { VersionId } = await this.#client.send(
      new PutSecretValueCommand({
        SecretId,
        SecretString: JSON.stringify(keyring),
        VersionStages: ["AWSPENDING"],
      }),
    );
    try {
      await this.#client.send(
        new UpdateSecretVersionStageCommand({
          SecretId,
          VersionStage: "AWSCURRENT",
          MoveToVersionId: VersionId,
          RemoveFromVersionId: seen,
        }),
      );
      return true;
    } catch (error) {
      if (!(error instanceof InvalidParameterException)) throw error;
      const { versionId } = await this.#fetch();
      // No other rotation caused the error.
      if (versionId === seen) throw error;
      // The SDK repeats a request whose response was lost: this rotation may have succeeded.
      return versionId === VersionId;
    }
  }

  /** The cached keyring, or the keyring read again. If that read fails, the cached one is kept. */
  async #read({ again = false } = {}): Promise<Keyring> {
    const known = this.#keyring;
    if (known && !again) return known;
    const reading = this.#fetch().then(({ keyring }) => keyring);
    this.#keyring = known ?? reading;
    try {
      const keyring = await reading;
      this.#keyring = reading;
      this.#readAt = this.#sources.now().getTime();
      return keyring;
    } catch (error) {
      if (this.#keyring === reading) this.#keyring = undefined;
      throw error;
    }
  }

  async #fetch(): Promise<{ readonly keyring: Keyring; readonly versionId: string }> {
    const { SecretString = "", VersionId = "" } = await this.#client.send(
      new GetSecretValueCommand({ SecretId: this.#secretId }),
    );
    return { keyring: Keyring.parse(JSON.parse(SecretString)), versionId: VersionId };
  }
}

function decrypted(sealed: Buffer, key: Uint8Array, context: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  const secret = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
  return Buffer.concat(secret).toString("utf8");
}

/** The id that the next key of a keyring gets. */
function nextKeyOf(keys: Readonly<Record<string, string>>): number {
  return Math.max(...Object.keys(keys).map(Number)) + 1;
}

/** The id of the key with which a ciphertext was sealed. */
export function sealingKeyOf(ciphertext: string): string {
  return ciphertext.split(".", 1)[0] ?? "";
}

/** The id of the oldest key with which one of the ciphertexts was sealed. Ids increase. */
export function oldestSealingKeyOf(ciphertexts: readonly string[]): string {
  return String(Math.min(...ciphertexts.map((ciphertext) => Number(sealingKeyOf(ciphertext)))));
}

// Secrets Manager generates passwords, not keys: HKDF (RFC 5869) derives a key from one.
function keyFrom(keyring: Readonly<Record<string, string>>, keyId: string): Uint8Array {
  const material = keyring[keyId];
  if (!material) throw new Error(`The keyring has no key ${keyId}.`);
  return new Uint8Array(hkdfSync("sha256", material, "", "webhook signing secrets", KEY_BYTES));
}
