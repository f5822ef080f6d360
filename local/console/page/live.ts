import { batch, computed, signal } from "@preact/signals";
import { type Address, formatAddress, parseAddress } from "../address.ts";
import type { Screen } from "../page-data.ts";

const ROOT = "/console";
const NOTHING: Screen = {
  isReading: true,
  organisations: [],
  organisation: "",
  isOrganisationUnknown: false,
  inboxes: [],
  endpoints: [],
  lists: {},
  opened: null,
};

/** The server's data for the address. After a change of address, the old data until the server responds. */
export const screen = signal(NOTHING);

/** Identifies the lists of the screen: the address that they belong to, without the opened item. */
export const shownLists = signal("");

/** Whether the page is connected and up to date. */
export const isLive = signal(false);

/** Whether the page shows data and is not connected any more. */
export const isStale = computed(() => !isLive.value && screen.value !== NOTHING);

/** The address in the page's URL. */
export const address = signal(addressInUrl());

/** The organisation to which the lists and buttons apply. */
export const organisation = computed(() => address.value.org ?? screen.value.organisation);

/** The URL of an address that differs from the current one. A given view begins anew, also if it is the current one. */
export function urlOf(difference: Partial<Address>): string {
  const { view, org, filters, after, open } = address.value;
  const kept = difference.view === undefined ? { filters, after, open } : { filters: {} };
  return `${ROOT}${formatAddress({ view, org: org ?? organisation.value, ...kept, ...difference })}`;
}

/** Goes to a URL of the console without loading the page again. */
export function go(url: string, { replace = false } = {}): void {
  // The address from which an item was opened, so that closing it goes back instead of forward. Its organisation may
  // not be in the page's URL.
  if (replace) history.replaceState(history.state, "", url);
  else history.pushState({ from: urlOf({}) }, "", url);
  showUrl();
}

/** Whether the browser is on its way back: a second Escape would go back once more. */
let isGoingBack = false;

/** Closes the opened item. */
export function close(): void {
  if (isGoingBack) return;
  const closed = urlOf({ open: undefined });
  isGoingBack = history.state?.from === closed;
  if (isGoingBack) history.back();
  else go(closed);
}

/** Shows the address in the page's URL. */
function showUrl(): void {
  isGoingBack = false;
  const before = address.value;
  address.value = addressInUrl();
  if (address.value.view !== before.view || address.value.after !== before.after) scrollTo(0, 0);
  connect();
}

function addressInUrl(): Address {
  const path = location.pathname.slice(ROOT.length);
  return parseAddress(path, new URLSearchParams(location.search)) ?? { view: "overview", filters: {} };
}

/** How long the page waits before it connects again, in ms: as long as browsers do. */
const RECONNECT_MS = 3_000;

let source: EventSource | undefined;
let reconnecting: ReturnType<typeof setTimeout> | undefined;

/**
 * Connects to the server's stream for the address. After an interruption the browser reconnects, but not after a
 * response that is no stream, as of a stack that fails to start. A hidden page is not connected, because a browser
 * opens at most six connections to a host (HTTP/1.1).
 */
function connect(): void {
  source?.close();
  clearTimeout(reconnecting);
  if (document.visibilityState === "hidden") return;
  const opened = new EventSource(`${ROOT}/stream${formatAddress(address.value)}`);
  source = opened;
  const lists = formatAddress({ ...address.value, open: undefined });
  opened.addEventListener("message", ({ data }: MessageEvent<string>) => {
    batch(() => {
      screen.value = JSON.parse(data);
      shownLists.value = lists;
      isLive.value = true;
    });
  });
  opened.addEventListener("error", () => {
    isLive.value = false;
    if (opened.readyState === EventSource.CLOSED) reconnecting = setTimeout(connect, RECONNECT_MS);
  });
}

/** Follows the server, the URL and the links to the console's own views. */
export function follow(): void {
  connect();
  addEventListener("popstate", showUrl);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!link || !isPlain || event.defaultPrevented || !isOfConsole(link)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
  document.addEventListener("visibilitychange", connect);
}

/** Whether a link leads to a view, and not to the documentation. */
function isOfConsole({ pathname }: HTMLAnchorElement): boolean {
  return pathname === ROOT || pathname.startsWith(`${ROOT}/`);
}
