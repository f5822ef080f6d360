import * as z from "zod/mini";
import { object } from "#contract/values";

/** What the private function `rotate-keyring` is invoked with. */
export const RotateKeyring = object({});

/** What `rotate-keyring` returns: the id of the key that seals from now on. */
export const RotatedKeyring = z.object({ current: z.string() });

/** What the private function `reseal-signing-secrets` is invoked with. */
export const ResealSigningSecrets = object({});

/** What `reseal-signing-secrets` returns: how many endpoints' secrets this invocation sealed anew. */
export const ResealedSigningSecrets = z.object({ resealed: z.int() });
