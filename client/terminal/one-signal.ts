/**
 * How long after the first signal another is the same one, in ms. npm passes on a Ctrl-C that also reached its child.
 */
const SAME_MS = 1_000;

/** Calls `first` with the first signal, and `again` with each that follows it by a second or more. */
export function oneSignal(
  first: (signal: NodeJS.Signals) => void,
  again: (signal: NodeJS.Signals) => void,
  now: () => number = () => performance.now(),
): (signal: NodeJS.Signals) => void {
  let firstAt: number | undefined;
  return (signal) => {
    if (firstAt === undefined) {
      firstAt = now();
      first(signal);
    } else if (now() - firstAt >= SAME_MS) again(signal);
  };
}
