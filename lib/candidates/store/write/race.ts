import { ServiceUnavailable } from "#contract/errors";

/** How often a write that loses a race on one candidate is repeated. */
const WRITE_ATTEMPTS = 20;

/** What an attempt returns that another write came before. */
export const LOST = Symbol("lost");

/**
 * Repeats an attempt of one write until it has a result. The attempts after its handover to the repository of large
 * candidates count as well.
 */
export function newRace() {
  let attempts = 0;
  /**
   * @param giveUp what is left to do after the last attempt
   * @throws ServiceUnavailable when too many other writes came first
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
