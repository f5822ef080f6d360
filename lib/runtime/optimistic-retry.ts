import { ServiceUnavailable } from "#contract/errors";

/** The result of an attempt that another write preceded or, of a read, interrupted. */
export const LOST = Symbol("lost");

/**
 * Optimistic concurrency control: repeats an attempt of one write or read until it is not lost.
 *
 * @param mostAttempts shared by all calls of the function that is returned
 * @param errorOf the error to throw when an attempt throws one: after others, it may mean something else
 */
export function optimisticRetry(mostAttempts: number, errorOf = (error: unknown): unknown => error) {
  let attempts = 0;
  /**
   * @param giveUp cleans up after the last attempt, or throws a more specific error
   * @throws ServiceUnavailable if every attempt was lost
   */
  return async function retry<Result>(
    attempt: () => Promise<Result | typeof LOST>,
    giveUp?: () => Promise<void>,
  ): Promise<Result> {
    while (attempts < mostAttempts) {
      attempts += 1;
      const result = await attempt().catch((error: unknown) => {
        throw errorOf(error);
      });
      if (result !== LOST) return result;
    }
    await giveUp?.();
    throw new ServiceUnavailable();
  };
}
