/** How long a step may take before the user wonders what it waits for. */
const SLOW_AFTER_MS = 15_000;

/** The result of a step. If the step takes longer than usual, `explain` says what it waits for. */
export async function explainingSlowness<Result>(
  step: Promise<Result>,
  explain: () => void,
): Promise<Result> {
  const reminder = setTimeout(explain, SLOW_AFTER_MS);
  try {
    return await step;
  } finally {
    clearTimeout(reminder);
  }
}
