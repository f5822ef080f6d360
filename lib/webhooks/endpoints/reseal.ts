import { logger } from "#runtime/logger";
import type { Keyring } from "#webhooks/endpoints/keyring";
import type { ResealedSigningSecrets } from "#webhooks/endpoints/keyring-commands";
import type { SealedSecretRepository } from "#webhooks/endpoints/sealed-secret-repository";
import { UnopenableSecret } from "#webhooks/endpoints/secret-box";
import { previousSecretOf, type SigningSecrets } from "#webhooks/endpoints/signing-secrets";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import type { WebhookEndpointRepository } from "#webhooks/endpoints/webhook-endpoint-repository";

export interface ResealService {
  readonly keyring: Pick<Keyring, "former">;
  readonly signingSecrets: Pick<SigningSecrets, "reseal">;
  readonly endpoints: Pick<WebhookEndpointRepository, "find">;
  readonly sealedSecrets: Pick<SealedSecretRepository, "sealedWith" | "reseal">;
  readonly now: () => Date;
}

/**
 * Reseals, with the current key, secrets that are sealed with former keys. Those that cannot be opened, because the
 * keyring no longer has their key, stay as they are and are logged.
 *
 * @param limit the most endpoints to process
 * @returns `resealed` is 0 if none are left but those that cannot be opened
 */
export async function reseal(limit: number, service: ResealService): Promise<ResealedSigningSecrets> {
  const { keyring, endpoints, sealedSecrets } = service;
  let resealed = 0;
  let unopened = 0;
  for (const keyId of await keyring.former()) {
    for await (const { orgId, id } of sealedSecrets.sealedWith(keyId)) {
      if (resealed + unopened >= limit) return { resealed, unopened };
      const endpoint = await endpoints.find(orgId, id);
      if (endpoint?.sealingKeyId !== keyId) continue;
      try {
        if (await resealEndpoint(endpoint, service)) resealed += 1;
      } catch (cause) {
        if (!(cause instanceof UnopenableSecret)) throw cause;
        logger.error("signing secret not opened", { orgId, endpointId: id, cause });
        unopened += 1;
      }
    }
  }
  return { resealed, unopened };
}

/**
 * A previous secret that no longer signs stays as it is.
 *
 * @returns false if the secrets have changed in the meantime
 */
async function resealEndpoint(
  endpoint: StoredEndpoint,
  { signingSecrets, sealedSecrets, now }: ResealService,
): Promise<boolean> {
  const previous = previousSecretOf(endpoint, now());
  const secret = await signingSecrets.reseal(endpoint);
  const previousSecret = previous && (await signingSecrets.reseal({ ...endpoint, sealedSecret: previous }));
  return sealedSecrets.reseal(endpoint, secret, previousSecret);
}
