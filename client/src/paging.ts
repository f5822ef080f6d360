import { CandidateServiceError } from "./error.ts";
import { wait } from "./retry.ts";

/** The shortest time from one page's request to the next, in ms: at most twenty pages a second. */
const PAGE_MS = 50;
/** The same after {@link EMPTY_PAGES}, in ms. */
const EMPTY_PAGE_MS = 250;
/** How many pages in a row may be empty. A filter may leave that many without an entry, and then it takes longer. */
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

/** Goes from page to page, so that a service that always has more is not asked in a tight loop. */
export class Paging {
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
   * @throws CandidateServiceError if there is no end: the cursor stands still, or leads through nothing but empty pages
   */
  async next(page: Page, { cursor, at }: Requested): Promise<void> {
    if (page.nextCursor === cursor) throw endless("its nextCursor is the cursor of the page before");
    this.#emptyPages = page.data.length > 0 ? 0 : this.#emptyPages + 1;
    const isEmpty = this.#emptyPages >= EMPTY_PAGES;
    if (isEmpty && !this.#isFiltered) throw endless(`the last ${EMPTY_PAGES} were empty`);
    const restMs = at + (isEmpty ? EMPTY_PAGE_MS : PAGE_MS) - performance.now();
    if (restMs > 0) await wait(restMs, this.#signal);
  }
}

function endless(fault: string): CandidateServiceError {
  return new CandidateServiceError(
    "unexpected_answer",
    `The service says that there are more pages, but ${fault}.`,
  );
}
