/** Why a command could not be carried out, in a sentence for the operator. */
export class PlatformError extends Error {}
