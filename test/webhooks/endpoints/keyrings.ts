import { InternalServiceError } from "@aws-sdk/client-secrets-manager";

/** A keyring as Secrets Manager generates it. */
export const FIRST = { current: "1", "1": "generated-by-secrets-manager-1" };

/** The same after a rotation. */
export const ROTATED = { ...FIRST, current: "2", "2": "generated-by-secrets-manager-2" };

export const OUTAGE = new InternalServiceError({ message: "outage", $metadata: { httpStatusCode: 500 } });
