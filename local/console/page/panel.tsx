import type { ComponentChildren, ComponentType } from "preact";

interface PanelProps<Item> {
  readonly id: string;
  readonly title: string;
  readonly items: readonly Item[];
  readonly Row: ComponentType<{ readonly item: Item }>;
  /** The text for an empty list. */
  readonly empty: string;
  /** Elements next to the title. */
  readonly children?: ComponentChildren;
  readonly onPointerEnter?: () => void;
  readonly onPointerLeave?: () => void;
}

/** A scrollable list with a fixed height. */
export function Panel<Item extends { readonly key: string }>(props: PanelProps<Item>) {
  const { id, title, items, Row, empty, children, onPointerEnter, onPointerLeave } = props;
  return (
    <div class="panel">
      <div class="title">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      <section
        class="rows"
        aria-labelledby={id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
        tabIndex={0}
        onPointerEnter={onPointerEnter}
        onPointerLeave={onPointerLeave}
      >
        {items.length === 0 && <p class="empty">{empty}</p>}
        <ul>
          {items.map((item) => (
            <Row key={item.key} item={item} />
          ))}
        </ul>
      </section>
    </div>
  );
}
