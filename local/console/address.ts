/** The views of the console. Each is a path below `/console`, except the overview, which is `/console` itself. */
export const VIEWS = ["overview", "candidates", "events", "deliveries", "endpoints", "inbox"] as const;
export type View = (typeof VIEWS)[number];

/**
 * The filters of each view, in the order in which the page shows them. This is their declaration: `screens.ts` selects
 * what matches, and `page/filters.tsx` shows a control for each.
 */
export const FILTERS = {
  overview: [],
  candidates: ["find", "status"],
  events: ["candidate", "type"],
  deliveries: ["endpoint", "status", "type", "event"],
  endpoints: [],
  inbox: [],
} as const satisfies Record<View, readonly string[]>;

export type FilterName = (typeof FILTERS)[View][number];
export type Filters = { readonly [Name in FilterName]?: string };

/** The state of a page. The URL contains all of it, so that users can copy it, reload it and go back to it. */
export interface Address {
  readonly view: View;
  /** The organisation's id; undefined for the first one. */
  readonly org?: string | undefined;
  readonly filters: Filters;
  /** The position in the list after which the shown items begin; undefined for the newest ones. */
  readonly after?: string | undefined;
  /** The id of the opened candidate, event, endpoint or received request; `<endpoint id>:<event id>` of a delivery. */
  readonly open?: string | undefined;
}

/**
 * Reads an address.
 *
 * @param path without `/console`
 * @returns undefined if there is no such view
 */
export function parseAddress(path: string, query: URLSearchParams): Address | undefined {
  const name = path.replace(/\/$/, "");
  const view = name === "" ? "overview" : VIEWS.slice(1).find((each) => name === `/${each}`);
  if (!view) return undefined;
  // What is copied from elsewhere often has a space at its end.
  const given = (parameter: string) => query.get(parameter)?.trim() || undefined;
  const filters = FILTERS[view].flatMap((filter) => {
    const value = given(filter);
    return value === undefined ? [] : [[filter, value]];
  });
  return {
    view,
    org: given("org"),
    filters: Object.fromEntries(filters),
    after: given("after"),
    open: given("open"),
  };
}

/** The path without `/console`, and the query, of an address. */
export function formatAddress({ view, org, filters, after, open }: Address): string {
  const given = Object.entries({ org, ...filters, after, open }).filter(([, value]) => value);
  const query = new URLSearchParams(given as [string, string][]).toString();
  return `${view === "overview" ? "" : `/${view}`}${query && `?${query}`}`;
}
