import type { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import type { SecretBox } from "#webhooks/endpoints/secret-box";
import type { SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

export interface ResealService {
  readonly box: Pick<SecretBox, "formerKeys">;
  readonly signingSecrets: Pick<SigningSecrets, "reseal">;
  readonly endpoints: Pick<WebhookEndpointRepository, "find">;
  readonly sealedSecrets: Pick<SealedSecretRepository, "sealedWith" | "reseal">;
}

/**
 * Reseals, with the current key, secrets that are sealed with former keys of the keyring.
 *
 * @param limit the most endpoints to process
 * @returns how many were resealed; 0 if none are left
 */
export async function reseal(
  limit: number,
  { box, signingSecrets, endpoints, sealedSecrets }: ResealService,
): Promise<number> {
  let resealed = 0;
  for (const keyId of await box.formerKeys()) {
    for await (const { orgId, id } of sealedSecrets.sealedWith(keyId)) {
      if (resealed >= limit) return resealed;
      const endpoint = await endpoints.find(orgId, id);
      if (endpoint?.sealingKeyId !== keyId) continue;
      const { previousSealedSecret } = endpoint;
      const secret = await signingSecrets.reseal(endpoint);
      const previousSecret =
        previousSealedSecret &&
        (await signingSecrets.reseal({ ...endpoint, sealedSecret: previousSealedSecret }));
      if (await sealedSecrets.reseal(endpoint, secret, previousSecret)) resealed += 1;
    }
  }
  return resealed;
}
