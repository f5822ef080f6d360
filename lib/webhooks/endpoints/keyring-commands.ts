import * as z from "zod/mini";
import { object } from "#contract/values";

/** The payload of the private function `rotate-keyring`. */
export const RotateKeyring = object({});

/** What `rotate-keyring` returns: the id of the new sealing key. */
export const RotatedKeyring = z.object({ current: z.string() });

/** The payload of the private function `reseal-signing-secrets`. */
export const ResealSigningSecrets = object({});

/** What `reseal-signing-secrets` returns: of how many endpoints it resealed the secrets, and could not open them. */
export const ResealedSigningSecrets = z.object({ resealed: z.int(), unopened: z.int() });
export type ResealedSigningSecrets = z.infer<typeof ResealedSigningSecrets>;
