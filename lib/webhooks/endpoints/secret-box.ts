import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import {
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod/mini";
import { ServiceUnavailable } from "#contract/errors";
import type { Runtime } from "#runtime/runtime";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
/** NIST SP 800-38D section 8.2 asks for 96 bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How long a process may go on sealing with the key that was current when it read the keyring. */
const SEALS_WITHOUT_READING_FOR_MS = 15 * 60_000;
/** What a key is derived from: as much as Secrets Manager generates for the first one. */
const KEY_MATERIAL_BYTES = 48;
/** A rotation that another one has overtaken is begun again, up to so many times in all. */
const ROTATION_ATTEMPTS = 5;

/** The secret in Secrets Manager: every key that ciphertexts may name, and which one seals new ones. */
const Keyring = z.catchall(z.object({ current: z.string() }), z.string());
type Keyring = z.infer<typeof Keyring>;

/** What secrets are made of. */
type SecretSources = Pick<Runtime, "now" | "randomBytes">;

/**
 * Seals signing secrets with AES-256-GCM under a key that lives in Secrets Manager. The keyring is read
 * once per process; a ciphertext that names a key it does not know makes it be read again, so that the
 * key can be rotated underneath.
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

  /** @param context what the secret belongs to; it opens only with the same context */
  async seal(secret: string, context: string): Promise<string> {
    const stale = this.#sources.now().getTime() - this.#readAt > SEALS_WITHOUT_READING_FOR_MS;
    const { current, ...keys } = await this.#read({ again: stale });
    const nonce = this.#sources.randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keyFrom(keys, current), nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${current}.${sealed.toString("base64url")}`;
  }

  /** The ids of the keys that seal no more, although they still open what they sealed; read anew. */
  async formerKeys(): Promise<string[]> {
    const { current, ...keys } = await this.#read({ again: true });
    return Object.keys(keys).filter((keyId) => keyId !== current);
  }

  /** @throws Error when the ciphertext was changed, belongs to another context or names a lost key */
  async open(ciphertext: string, context: string): Promise<string> {
    const keyId = sealingKeyOf(ciphertext);
    const encoded = ciphertext.slice(keyId.length + 1);
    const known = await this.#read();
    const keyring = keyId in known ? known : await this.#read({ again: true });
    const sealed = Buffer.from(encoded, "base64url");
    const decipher = createDecipheriv(ALGORITHM, keyFrom(keyring, keyId), sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const secret = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(secret).toString("utf8");
  }

  /**
   * Adds a new key, which seals from then on. The older ones stay, for what they have sealed; so do those of rotations
   * that run at the same time.
   *
   * @returns the new key's id
   * @throws ServiceUnavailable when too many rotations run at the same time
   */
  async rotate(): Promise<string> {
    for (let attempt = 0; attempt < ROTATION_ATTEMPTS; attempt++) {
      const { keyring: seen, versionId } = await this.#fetch();
      const { current: _, ...keys } = seen;
      const next = String(Math.max(...Object.keys(keys).map(Number)) + 1);
      const keyring: Keyring = {
        current: next,
        ...keys,
        [next]: Buffer.from(this.#sources.randomBytes(KEY_MATERIAL_BYTES)).toString("base64url"),
      };
      if (await this.#replace(versionId, keyring)) {
        this.#keyring = Promise.resolve(keyring);
        this.#readAt = this.#sources.now().getTime();
        return next;
      }
    }
    throw new ServiceUnavailable();
  }

  /**
   * Makes a keyring the current one in the place of the version that was read. Secrets Manager moves a staging label
   * only from the version that the request names (API reference, UpdateSecretVersionStage), so that no key is lost
   * that another rotation has added since.
   *
   * @returns whether it is the current one
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
      // No other rotation is why it was refused.
      if (versionId === seen) throw error;
      // The SDK repeats a request whose response was lost.
      return versionId === VersionId;
    }
  }

  /** The keyring as read before; an outage in which it is read again does not make it forgotten. */
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

/** The id of the key that a ciphertext was sealed with. */
export function sealingKeyOf(ciphertext: string): string {
  return ciphertext.split(".", 1)[0] ?? "";
}

/** The id of the oldest key that one of the ciphertexts was sealed with: ids count up. */
export function oldestSealingKeyOf(ciphertexts: readonly string[]): string {
  return String(Math.min(...ciphertexts.map((ciphertext) => Number(sealingKeyOf(ciphertext)))));
}

// Secrets Manager generates passwords, not keys: HKDF (RFC 5869) makes a key of one.
function keyFrom(keyring: Readonly<Record<string, string>>, keyId: string): Uint8Array {
  const material = keyring[keyId];
  if (!material) throw new Error(`The keyring has no key ${keyId}.`);
  return new Uint8Array(hkdfSync("sha256", material, "", "webhook signing secrets", KEY_BYTES));
}
