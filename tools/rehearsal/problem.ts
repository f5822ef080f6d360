/** What keeps the rehearsal from going on, told in one sentence that says what to do about it. */
export class RehearsalProblem extends Error {
  override readonly name = "RehearsalProblem";
}
