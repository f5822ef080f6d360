import { CandidateServiceError } from "./error.ts";
import { wait } from "./wait.ts";

/** The shortest time between the requests of two pages, in ms: at most twenty pages a second. */
const PAGE_MS = 50;
/** The shortest time after {@link EMPTY_PAGES} empty pages, in ms. */
const EMPTY_PAGE_MS = 250;
/** How many pages in a row may be empty without a filter. With one, later pages are requested more slowly. */
const EMPTY_PAGES = 1_000;

interface Page {
  readonly data: readonly unknown[];
  readonly nextCursor?: string | undefined;
}

interface Requested {
  readonly cursor: string | undefined;
  /** When, by `performance.now()`. */
  readonly at: number;
}

/** Limits the rate of page requests, so that a service that always has more pages causes no tight loop. */
export class PagePacer {
  readonly #isFiltered: boolean;
  readonly #signal: AbortSignal | undefined;
  #emptyPages = 0;

  /** @param isFiltered whether pages may be empty because their entries are left out */
  constructor(isFiltered: boolean, signal: AbortSignal | undefined) {
    this.#isFiltered = isFiltered;
    this.#signal = signal;
  }

  /**
   * Waits until the page after this one may be requested.
   *
   * @throws CandidateServiceError if the pages never end: the cursor does not advance, or all pages are empty
   */
  async next(page: Page, { cursor, at }: Requested): Promise<void> {
    if (page.nextCursor === cursor) throw endless("its nextCursor is the cursor of the previous page");
    this.#emptyPages = page.data.length > 0 ? 0 : this.#emptyPages + 1;
    const isEmpty = this.#emptyPages >= EMPTY_PAGES;
    if (isEmpty && !this.#isFiltered) throw endless(`the last ${EMPTY_PAGES} were empty`);
    const restMs = at + (isEmpty ? EMPTY_PAGE_MS : PAGE_MS) - performance.now();
    if (restMs > 0) await wait(restMs, this.#signal);
  }
}

function endless(fault: string): CandidateServiceError {
  return new CandidateServiceError(
    "unexpected_response",
    `The service says that there are more pages, but ${fault}.`,
  );
}
