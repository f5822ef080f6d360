import { signal } from "@preact/signals";
import { Dialog } from "./dialog.tsx";
import { address, go, urlOf } from "./live.ts";

const KEYS: readonly (readonly [keys: readonly string[], effect: string])[] = [
  [["/"], "go to the filter"],
  [["j", "↓"], "next row"],
  [["k", "↑"], "previous row"],
  [["Enter"], "open the row"],
  [["Esc"], "leave the filter, or close the open item"],
  [["?"], "show the keyboard shortcuts"],
];

const isHelpOpen = signal(false);

/** Whether the next filter that appears takes the focus. */
let filterIsAwaited = false;

/** Listens to the keys of the whole page. */
export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input, select, textarea");
    // A search field would be emptied.
    if (event.key === "Escape" && target.closest(".filters")) {
      event.preventDefault();
      target.blur();
      return;
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog"))
      return;
    if (press(event.key)) event.preventDefault();
  });
}

/** @returns whether the key has an effect */
function press(key: string): boolean {
  switch (key) {
    case "/":
      focusFilter();
      return true;
    case "?":
      isHelpOpen.value = true;
      return true;
    case "j":
      return moveBy(1);
    case "k":
      return moveBy(-1);
    // Elsewhere the arrows scroll.
    case "ArrowDown":
      return isInList() && moveBy(1);
    case "ArrowUp":
      return isInList() && moveBy(-1);
    default:
      return false;
  }
}

/** In the overview and in views without a filter, opens the candidates' filter. */
function focusFilter(): void {
  const filter = document.querySelector<HTMLElement>(".filters input, .filters select");
  filterIsAwaited = !filter;
  if (filter) filter.focus();
  else go(urlOf({ view: "candidates" }));
}

/** Moves the focus to the filter that was opened for it. */
export function focusAwaitedFilter(): void {
  if (filterIsAwaited && address.value.view === "candidates") focusFilter();
}

function isInList(): boolean {
  return document.activeElement?.closest(".rows") != null;
}

/** Moves the focus by rows in the list that has it, else in the first list. */
function moveBy(step: 1 | -1): boolean {
  const list = document.activeElement?.closest(".rows") ?? document.querySelector(".rows");
  const rows = [...(list?.querySelectorAll<HTMLElement>("li .open") ?? [])];
  const focused = document.activeElement?.closest("li");
  const current = rows.findIndex((row) => row.closest("li") === focused);
  // The first key goes to the row that the Tab key would reach.
  const next = current === -1 ? rows.find((row) => row.tabIndex === 0) : rows[current + step];
  next?.focus();
  return rows.length > 0;
}

export function ShortcutsButton() {
  return (
    <button type="button" aria-keyshortcuts="?" onClick={() => (isHelpOpen.value = true)}>
      Shortcuts
    </button>
  );
}

export function ShortcutsDialog() {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (isHelpOpen.value = false)}>
      <dl>
        {KEYS.map(([keys, effect]) => (
          <>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
