/** The reason why a command ends, in one sentence for the user. */
export class CommandError extends Error {}

/** The command, or a file given to it, is invalid. Nothing was done. */
export class UsageError extends Error {}
