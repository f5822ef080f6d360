/** Why a command ends, in one sentence that says what to do about it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
