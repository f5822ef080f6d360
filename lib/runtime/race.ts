import { ServiceUnavailable } from "#contract/errors";

/** The result of an attempt that another write preceded or, of a read, interrupted. */
export const LOST = Symbol("lost");

/**
 * Repeats an attempt of one write or read until it has a result. All calls of one race share its attempts.
 *
 * @param errorOf the error to throw when an attempt throws one: after others, it may mean something else
 */
export function newRace(mostAttempts: number, errorOf = (error: unknown): unknown => error) {
  let attempts = 0;
  /**
   * @param giveUp cleans up after the last attempt, or throws a more specific error
   * @throws ServiceUnavailable if every attempt was lost
   */
  return async function race<Result>(
    attempt: () => Promise<Result | typeof LOST>,
    giveUp = async (): Promise<void> => {},
  ): Promise<Result> {
    while (attempts < mostAttempts) {
      attempts += 1;
      const result = await attempt().catch((error: unknown) => {
        throw errorOf(error);
      });
      if (result !== LOST) return result;
    }
    await giveUp();
    throw new ServiceUnavailable();
  };
}
