/** Why a push cannot go on, in a sentence for the person who started it. */
export class PushError extends Error {}

/** The command, or a file that goes with it, was not given as it must be: nothing was pushed. */
export class MisuseError extends Error {}
