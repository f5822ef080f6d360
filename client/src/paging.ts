import { CandidateServiceError } from "./error.ts";
import { wait } from "./retry.ts";

/** The shortest time from one page's request to the next, in ms: at most twenty pages a second. */
const PAGE_MS = 50;

/** Waits until the next page may be requested, so that a service that always has more is not asked in a tight loop. */
export async function pace(requestedAt: number, signal: AbortSignal | undefined): Promise<void> {
  const restMs = requestedAt + PAGE_MS - performance.now();
  if (restMs > 0) await wait(restMs, signal);
}

/** @throws CandidateServiceError if the next page is the one that was just read, and so would be every page after it */
export function assertMoved(cursor: string | undefined, nextCursor: string): void {
  if (nextCursor !== cursor) return;
  throw new CandidateServiceError(
    "unexpected_answer",
    "The service says that there are more pages, but its nextCursor is the cursor of the page before.",
  );
}
