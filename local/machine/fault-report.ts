import { StackEnded } from "./command-error.ts";
import { holdsData } from "./data-directory.ts";
import { folderError } from "./folder-error.ts";

/** How long the same reason why the data folder cannot be used is not reported again, in ms. */
const QUIET_MS = 60_000;

interface FaultReportOptions {
  readonly dataDir: string;
  readonly onFault?: (error: unknown) => void;
}

/**
 * Reports faults. Every part of the stack finds the same disk full, again and again: it is reported once a minute. If
 * the data was deleted, the stack cannot go on: open files seem to work, and what is written to them is lost.
 */
export function faultReport({ dataDir, onFault = () => {} }: FaultReportOptions): (error: unknown) => void {
  const quietUntil = new Map<string, number>();
  return (error) => {
    if (!holdsData(dataDir)) {
      onFault(
        new StackEnded(`The data in ${dataDir} was deleted while the local stack used it: start again.`),
      );
      return;
    }
    const explained = folderError(error, dataDir, "LOCAL_DATA_DIR");
    if (explained) {
      const now = performance.now();
      if (now < (quietUntil.get(explained.message) ?? 0)) return;
      quietUntil.set(explained.message, now + QUIET_MS);
    }
    onFault(explained ?? error);
  };
}
