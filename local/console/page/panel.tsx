import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useRef } from "preact/hooks";
import type { View } from "../address.ts";
import type { Page } from "../page-data.ts";
import { countText } from "./counts.ts";
import { address, screen, shownLists, urlOf } from "./live.ts";

interface RowProps<Item> {
  readonly item: Item;
  /** Whether it is the list's row that the Tab key reaches. */
  readonly isCurrent: boolean;
}

/** A component that shows an item of a list. */
type RowOf<Item> = ComponentType<RowProps<Item>>;

interface PanelProps<Item> {
  /** The view of the list alone, which is also the id of its heading. */
  readonly id: View;
  readonly title: string;
  /** Undefined until the server has responded. */
  readonly page: Page<Item> | undefined;
  readonly Row: RowOf<Item>;
  /** The items in the plural, if it is not the id. */
  readonly noun?: string;
  /** The text for an empty list. */
  readonly empty: string;
  /** Elements next to the title. */
  readonly children?: ComponentChildren;
  /** Elements above the list. */
  readonly filters?: ComponentChildren;
}

/** The items of a list when the pointer or the keyboard entered it. */
interface Held<Item> {
  readonly list: string;
  readonly items: readonly Item[];
}

/**
 * A list of a page's items. While the pointer or the keyboard is in it, no row is added or moves, so that nothing
 * moves away from under a click.
 */
export function Panel<Item extends { readonly key: string }>(props: PanelProps<Item>) {
  const { id, title, page, Row, noun = props.id, empty, children, filters } = props;
  const items = page?.items ?? [];
  const current = useSignal("");
  const isPointedAt = useSignal(false);
  const isReachedByKeys = useSignal(false);
  const held = useRef<Held<Item> | undefined>(undefined);
  const list = shownLists.value;
  const isHeld = isPointedAt.value || isReachedByKeys.value;
  if (!isHeld) held.current = undefined;
  else if (held.current?.list !== list) held.current = { list, items };
  const shown = held.current ? latest(held.current.items, items) : items;
  const newer = items.filter(({ key }) => !shown.some((each) => each.key === key)).length;
  const currentKey = shown.some(({ key }) => key === current.value) ? current.value : shown[0]?.key;
  return (
    <div class="panel">
      <div class="title">
        <h2 id={id}>{title}</h2>
        {page && <span class="quiet total">{countText(page, screen.value.isReading)}</span>}
        {newer > 0 && <span class="quiet">{newer} more when you leave the list</span>}
        {children}
      </div>
      {filters}
      <section
        class="rows"
        aria-labelledby={id}
        onPointerEnter={() => (isPointedAt.value = true)}
        onPointerLeave={() => (isPointedAt.value = false)}
        onFocusCapture={(event) => {
          const focused = event.target as HTMLElement;
          current.value = focused.closest("li")?.dataset["key"] ?? current.value;
          if (focused.matches(":focus-visible")) isReachedByKeys.value = true;
        }}
        onBlurCapture={() => (isReachedByKeys.value = false)}
      >
        {page && shown.length === 0 && <p class="empty">{empty}</p>}
        <ul>
          {shown.map((item) => (
            <li key={item.key} data-key={item.key}>
              <Row item={item} isCurrent={item.key === currentKey} />
            </li>
          ))}
        </ul>
      </section>
      {page && (page.next !== null || address.value.after !== undefined) && (
        <Pages next={page.next} id={id} noun={noun} />
      )}
    </div>
  );
}

/** The held items in their current state, or in their last one if they have left the page. */
function latest<Item extends { readonly key: string }>(
  held: readonly Item[],
  items: readonly Item[],
): Item[] {
  const byKey = new Map(items.map((item) => [item.key, item]));
  return held.map((item) => byKey.get(item.key) ?? item);
}

function Pages({
  next,
  id,
  noun,
}: {
  readonly next: string | null;
  readonly id: View;
  readonly noun: string;
}) {
  const { view, after } = address.value;
  if (view === "overview") {
    return (
      <nav class="pages" aria-label={`All ${noun}`}>
        <a href={urlOf({ view: id })}>All {noun}</a>
      </nav>
    );
  }
  return (
    <nav class="pages" aria-label="Pages">
      {after !== undefined && <a href={urlOf({ after: undefined })}>Newest</a>}
      {next !== null && <a href={urlOf({ after: next })}>Older</a>}
    </nav>
  );
}

/** The link that opens an item. The keys j and k, and the arrows, move from one to the next. */
export function OpenLink({
  open,
  isCurrent,
  children,
}: {
  readonly open: string;
  readonly isCurrent: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <a class="open" href={urlOf({ open })} tabIndex={isCurrent ? 0 : -1}>
      {children}
    </a>
  );
}
