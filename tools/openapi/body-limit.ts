import { BODY_BYTES } from "#contract/errors";

/** The largest body in words. */
export const BODY_LIMIT = `${BODY_BYTES / 1024 ** 2} MiB`;
