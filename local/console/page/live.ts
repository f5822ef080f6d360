import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Changes, Lists, Snapshot } from "../view.ts";

type Shown = { readonly [Name in keyof Lists]: ReadonlyMap<string, Lists[Name]> };

const nothing: Shown = {
  organisations: new Map(),
  candidates: new Map(),
  events: new Map(),
  endpoints: new Map(),
  deliveries: new Map(),
  inboxes: new Map(),
  received: new Map(),
};

/** The data received from the server. */
const shown = signal(nothing);

/** Whether the page is connected and up to date. */
export const isLive = signal(false);

/** The selected organisation. The page's address keeps it across reloads. */
const chosenOrganisation = signal(organisationInAddress());

/** One of the lists, by key. */
export const lists = Object.fromEntries(
  Object.keys(nothing).map((name) => [name, computed(() => shown.value[name as keyof Lists])]),
) as { readonly [Name in keyof Lists]: ReadonlySignal<Shown[Name]> };

/** The selectable organisations, including the selected one before any of its data arrives. */
export const organisations = computed(() => {
  const known = [...lists.organisations.value.keys()];
  const chosen = organisationInAddress();
  return chosen === "" || known.includes(chosen) ? known : [...known, chosen];
});

/** The organisation to which the lists and buttons apply. */
export const organisation = computed(() => chosenOrganisation.value || (organisations.value[0] ?? ""));

/** A list's items of the organisation, newest first: `orderOf` returns a text that sorts by time. */
export function newestFirst<Item extends { readonly orgId: string }>(
  list: ReadonlySignal<ReadonlyMap<string, Item>>,
  orderOf: (item: Item) => string,
): ReadonlySignal<readonly Item[]> {
  return computed(() =>
    [...list.value.values()]
      .filter(({ orgId }) => orgId === organisation.value)
      .sort((left, right) => orderOf(right).localeCompare(orderOf(left))),
  );
}

export function choose(orgId: string): void {
  chosenOrganisation.value = orgId;
  history.replaceState(null, "", `#${encodeURIComponent(orgId)}`);
}

/** Follows the server. After an interruption the browser reconnects and receives a new snapshot. */
export function follow(): void {
  const source = new EventSource("/console/stream");
  source.addEventListener("snapshot", ({ data }: MessageEvent<string>) => {
    const snapshot: Snapshot = JSON.parse(data);
    shown.value = mapLists((name) => byKey(snapshot[name]));
    isLive.value = true;
  });
  source.addEventListener("changes", ({ data }: MessageEvent<string>) => {
    const changes: Changes = JSON.parse(data);
    const before = shown.value;
    shown.value = mapLists((name) => (changes[name] ? changed(before[name], changes[name]) : before[name]));
  });
  source.addEventListener("error", () => {
    isLive.value = false;
  });
}

type Keyed = { readonly key: string };

function mapLists(listOf: (name: keyof Lists) => ReadonlyMap<string, Keyed>): Shown {
  const names = Object.keys(nothing) as (keyof Lists)[];
  return Object.fromEntries(names.map((name) => [name, listOf(name)])) as Shown;
}

function byKey(items: readonly Keyed[]): ReadonlyMap<string, Keyed> {
  return new Map(items.map((item) => [item.key, item]));
}

function changed(
  before: ReadonlyMap<string, Keyed>,
  { put, removed }: { readonly put: readonly Keyed[]; readonly removed: readonly string[] },
): ReadonlyMap<string, Keyed> {
  const after = new Map(before);
  for (const item of put) after.set(item.key, item);
  for (const key of removed) after.delete(key);
  return after;
}

function organisationInAddress(): string {
  return decodeURIComponent(location.hash.slice(1));
}
