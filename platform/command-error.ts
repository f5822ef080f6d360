/** Why a command ends, in one sentence for the operator. */
export class CommandError extends Error {}
