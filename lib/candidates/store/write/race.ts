import { ServiceUnavailable } from "#contract/errors";

/** The most attempts at a write that loses races against other writes of the same candidate. */
const WRITE_ATTEMPTS = 20;

/** The result of an attempt that another write preceded. */
export const LOST = Symbol("lost");

/**
 * Repeats an attempt of one write until it has a result. Attempts made after the handover to the repository of large
 * candidates count too.
 */
export function newRace() {
  let attempts = 0;
  /**
   * @param giveUp cleans up after the last attempt
   * @throws ServiceUnavailable if other writes preceded every attempt
   */
  return async function race<Result>(
    attempt: () => Promise<Result | typeof LOST>,
    giveUp = async (): Promise<void> => {},
  ): Promise<Result> {
    while (attempts < WRITE_ATTEMPTS) {
      attempts += 1;
      const result = await attempt();
      if (result !== LOST) return result;
    }
    await giveUp();
    throw new ServiceUnavailable();
  };
}
