import {
  InvalidParameterException,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { LOST, optimisticRetry } from "#runtime/optimistic-retry";
import type { Runtime } from "#runtime/runtime";
import { nextKeyIdOf, readKeyring } from "#webhooks/endpoints/keyring";

/** 64 characters in base64url, as many as Secrets Manager generates for the first key (infra/keyring.ts). */
const KEY_MATERIAL_BYTES = 48;
/** The most attempts at a rotation while concurrent ones succeed first. */
const ROTATION_ATTEMPTS = 5;

/** Adds keys to the keyring in Secrets Manager. */
export class KeyringRotation {
  readonly #client: SecretsManagerClient;
  readonly #secretId: string;
  readonly #randomBytes: Runtime["randomBytes"];

  constructor(client: SecretsManagerClient, secretId: string, randomBytes: Runtime["randomBytes"]) {
    this.#client = client;
    this.#secretId = secretId;
    this.#randomBytes = randomBytes;
  }

  /**
   * Adds a new key, which seals from then on. Older keys stay, because secrets are sealed with them; so do the keys of
   * concurrent rotations.
   *
   * @returns the new key's id
   * @throws ServiceUnavailable if there are too many concurrent rotations
   */
  async rotate(): Promise<string> {
    return optimisticRetry(ROTATION_ATTEMPTS)(async () => {
      const seen = await readKeyring(this.#client, this.#secretId);
      const next = String(nextKeyIdOf(seen));
      const material = Buffer.from(this.#randomBytes(KEY_MATERIAL_BYTES)).toString("base64url");
      const text = JSON.stringify({ current: next, ...seen.keys, [next]: material });
      return (await this.#replace(seen.versionId, text)) ? next : LOST;
    });
  }

  /**
   * Makes a keyring the current version, provided that the version read is still current. Secrets Manager moves a
   * staging label only from the version in the request (API reference, UpdateSecretVersionStage), so a key that
   * another rotation has added since is not lost.
   *
   * @returns whether the keyring is now current
   */
  async #replace(seen: string, keyring: string): Promise<boolean> {
    const SecretId = this.#secretId;
    const { VersionId } = await this.#client.send(
      new PutSecretValueCommand({ SecretId, SecretString: keyring, VersionStages: ["AWSPENDING"] }),
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
      const { versionId } = await readKeyring(this.#client, SecretId);
      // No other rotation caused the error.
      if (versionId === seen) throw error;
      // The SDK repeats a request whose response was lost: this rotation may have succeeded.
      return versionId === VersionId;
    }
  }
}
