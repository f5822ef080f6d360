/** Why a push ends, in one sentence for the person who started it. */
export class CommandError extends Error {}

/** The command, or a file that goes with it, was not given as it must be: nothing was pushed. */
export class UsageError extends Error {}
