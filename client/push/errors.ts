/** The reason why a push ends, in one sentence for the user. */
export class CommandError extends Error {}

/** The command, or a file given to it, is invalid. Nothing was pushed. */
export class UsageError extends Error {}
