import type { Runtime } from "#runtime/runtime";
import type { SecretBox } from "#webhooks/endpoints/secret-box";
import { newSigningSecret } from "#webhooks/endpoints/signature";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

/** The signing secrets of webhook endpoints: shown once, stored sealed. */
export class SigningSecrets {
  readonly #box: SecretBox;
  readonly #randomBytes: Runtime["randomBytes"];

  constructor(box: SecretBox, { randomBytes }: Pick<Runtime, "randomBytes">) {
    this.#box = box;
    this.#randomBytes = randomBytes;
  }

  /** A new secret for an endpoint, in plain text to be shown, and sealed to be stored. */
  async issue(orgId: string, endpointId: string): Promise<{ signingSecret: string; sealedSecret: string }> {
    const signingSecret = newSigningSecret(this.#randomBytes);
    return { signingSecret, sealedSecret: await this.#box.seal(signingSecret, contextOf(orgId, endpointId)) };
  }

  /** The secret with which deliveries to the endpoint are signed. */
  open({ orgId, id, sealedSecret }: Pick<StoredEndpoint, "orgId" | "id" | "sealedSecret">): Promise<string> {
    return this.#box.open(sealedSecret, contextOf(orgId, id));
  }

  /** The same secret, sealed with the current key. */
  async reseal(endpoint: Pick<StoredEndpoint, "orgId" | "id" | "sealedSecret">): Promise<string> {
    return this.#box.seal(await this.open(endpoint), contextOf(endpoint.orgId, endpoint.id));
  }
}

/** The sealed previous secret, while deliveries are still signed with it. */
export function previousSecretOf(
  { previousSealedSecret, previousSecretExpiresAt = "" }: StoredEndpoint,
  now: Date,
): string | undefined {
  return Date.parse(previousSecretExpiresAt) > now.getTime() ? previousSealedSecret : undefined;
}

// A sealed secret that is copied to another endpoint must not open there.
function contextOf(orgId: string, endpointId: string): string {
  return `${orgId}/${endpointId}`;
}
