/** The reason why a command ends and the remedy, in one sentence. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
