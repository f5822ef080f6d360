import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Runtime } from "#runtime/runtime";
import type { Keyring } from "#webhooks/endpoints/keyring";

const ALGORITHM = "aes-256-gcm";
/** NIST SP 800-38D section 8.2 recommends 96 bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed secret was modified, belongs to another owner, or references a key that the keyring does not have. */
export class UnopenableSecret extends Error {
  override readonly name = "UnopenableSecret";

  constructor(keyId: string, options?: ErrorOptions) {
    super(`The secret that is sealed with key ${keyId} cannot be opened.`, options);
  }
}

/** Seals signing secrets with AES-256-GCM under the current key of a keyring. */
export class SecretBox {
  readonly #keyring: Pick<Keyring, "current" | "find" | "findAgain">;
  readonly #randomBytes: Runtime["randomBytes"];

  constructor(keyring: Pick<Keyring, "current" | "find" | "findAgain">, randomBytes: Runtime["randomBytes"]) {
    this.#keyring = keyring;
    this.#randomBytes = randomBytes;
  }

  /** @param context identifies the owner of the secret, which can be opened only with the same context */
  async seal(secret: string, context: string): Promise<string> {
    const { id, key } = await this.#keyring.current();
    const nonce = this.#randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${id}.${sealed.toString("base64url")}`;
  }

  /** @throws UnopenableSecret if the ciphertext was modified, belongs to another context or references a lost key */
  async open(ciphertext: string, context: string): Promise<string> {
    const keyId = sealingKeyIdOf(ciphertext);
    const sealed = Buffer.from(ciphertext.slice(keyId.length + 1), "base64url");
    const key = await this.#keyring.find(keyId);
    if (!key) throw new UnopenableSecret(keyId, { cause: new Error("The keyring does not have this key.") });
    try {
      return decrypted(sealed, key, context);
    } catch (cause) {
      // The keyring that this process has read may have been wrong, and corrected since.
      const current = await this.#keyring.findAgain(keyId);
      if (!current || Buffer.compare(current, key) === 0) throw new UnopenableSecret(keyId, { cause });
      return this.open(ciphertext, context);
    }
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

/** The id of the key with which a ciphertext was sealed. */
export function sealingKeyIdOf(ciphertext: string): string {
  return ciphertext.split(".", 1)[0] ?? "";
}

/** The id of the oldest key with which one of the ciphertexts was sealed. Ids increase. */
export function oldestSealingKeyIdOf(ciphertexts: readonly string[]): string {
  return String(Math.min(...ciphertexts.map((ciphertext) => Number(sealingKeyIdOf(ciphertext)))));
}
