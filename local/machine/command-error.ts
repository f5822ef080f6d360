/** The reason why a command ends and the remedy, in one sentence. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
}

/** The reason why a running local stack cannot go on. */
export class StackEnded extends CommandError {
  override readonly name = "StackEnded";
}
