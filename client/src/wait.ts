import { onAbort } from "./on-abort.ts";

/** A longer timer would fire at once (Node.js, `setTimeout`). In ms: some 25 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits this long, but at most {@link LONGEST_TIMER_MS}.
 *
 * @throws the reason of a signal, as soon as it is aborted
 */
export function wait(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const given = signals.filter((signal) => signal !== undefined);
  for (const signal of given) signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      for (const stopListening of listening) stopListening();
    };
    const abort = () => {
      end();
      reject(given.find(({ aborted }) => aborted)?.reason);
    };
    const timer = setTimeout(
      () => {
        end();
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    const listening = given.map((signal) => onAbort(signal, abort));
  });
}
