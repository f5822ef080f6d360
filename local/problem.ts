/** What keeps the local stack from running, told in one sentence that says what to do about it. */
export class LocalStackProblem extends Error {
  override readonly name = "LocalStackProblem";
}
