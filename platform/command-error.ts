/** The reason why a command failed, in one sentence for the operator. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
