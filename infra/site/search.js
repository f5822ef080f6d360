import { baseUrl } from "./environment.js";
import { isPlain } from "./keys.js";

const SHOWN = 12;
/** A word of the query may be the beginning of one in the text. A long one may have an error in four letters. */
const OPTIONS = {
  prefix: true,
  fuzzy: (term) => (term.length > 4 ? 0.25 : false),
  combineWith: "AND",
  boost: { title: 4, route: 4, page: 2 },
};

let index;

/** The library and the texts, fetched when the search is first opened. */
async function load() {
  const [{ default: MiniSearch }, documents] = await Promise.all([
    import("./minisearch.js"),
    fetch(`${baseUrl}/docs/search.json`).then((response) => response.json()),
  ]);
  const search = new MiniSearch({
    idField: "url",
    fields: ["title", "page", "route", "text"],
    storeFields: ["url", "page", "title", "route", "text"],
    tokenize: (text) => wordsIn(text).flatMap(namesIn),
    searchOptions: { ...OPTIONS, tokenize: wordsIn },
  });
  search.addAll(documents);
  return search;
}

function wordsIn(text) {
  return text.split(/[^\p{L}\p{N}_.-]+/u);
}

/** `rows.csv.push-journal` is found by each of its parts, and by its ends, such as `push-journal`. */
function namesIn(word) {
  const ends = [...word.matchAll(/[_.-]/g)].map(({ index }) => word.slice(index + 1));
  return [...new Set([word, ...ends, ...word.split(/[_.-]/)])];
}

/**
 * Operations with this path come first, then exact words and their beginnings: a similar word in a title would
 * otherwise score higher.
 */
function find(search, query) {
  const path = query.trim().toLowerCase();
  const isNamed = ({ route = "" }) => path.includes("/") && route.toLowerCase().endsWith(path);
  const exact = search.search(query, { fuzzy: false });
  const found = [...exact.filter(isNamed), ...exact, ...search.search(query)];
  const ids = new Set();
  return found.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** Adds the search to the navigation: a button, and Ctrl-K or ⌘K where the page has no search of its own. */
export function addSearch() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "search";
  button.textContent = "Search";
  const { dialog, refresh } = searchDialog();
  const open = () => {
    index ??= load().catch(() => {
      // The next time it is opened, it is fetched again.
      index = undefined;
    });
    dialog.showModal();
    // The field may still contain a query, for which an earlier fetch failed.
    refresh();
  };
  button.addEventListener("click", open);
  document.querySelector("nav.site")?.append(button);
  document.body.append(dialog);
  if (document.getElementById("reference")) return;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!dialog.open) open();
  });
}

function searchDialog() {
  const dialog = document.createElement("dialog");
  dialog.className = "search";
  dialog.setAttribute("aria-label", "Search");
  const field = document.createElement("input");
  field.type = "search";
  field.setAttribute("aria-label", "Search the documentation");
  field.placeholder = "Guides, operations, error codes";
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const results = document.createElement("ul");
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.append(field, close, status, results);

  const show = async () => {
    const search = await index;
    if (!search) {
      status.textContent = "The search cannot be loaded. Close it, and try again.";
      return;
    }
    const found = find(search, field.value);
    results.replaceChildren(...found.slice(0, SHOWN).map(resultItem));
    status.textContent = field.value.trim() ? countText(found.length) : "";
  };
  let shown;
  const refresh = () => {
    shown = show();
  };
  field.addEventListener("input", refresh);
  field.addEventListener("keydown", (event) => openFirst(event, () => shown, results));
  dialog.addEventListener("keydown", (event) =>
    moveThrough(event, [field, ...results.querySelectorAll("a")]),
  );
  // A link within the page closes it, and so does a click beside it.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest("a"))) dialog.close();
  });
  return { dialog, refresh };
}

/** Enter in the field opens the first result, once those of the last input are shown. */
export async function openFirst({ key, isComposing }, shown, results) {
  // While a character is composed, Enter only ends its input.
  if (key !== "Enter" || isComposing) return;
  await shown();
  results.querySelector("a")?.click();
}

function countText(count) {
  if (count === 0) return "Nothing found.";
  return count > SHOWN
    ? `${count} results, the best ${SHOWN} shown`
    : `${count} result${count === 1 ? "" : "s"}`;
}

function resultItem({ url, page, title, route, text, terms }) {
  const link = document.createElement("a");
  link.href = `${baseUrl}/${url}`;
  const heading = document.createElement("strong");
  heading.textContent = title === page ? title : `${page}: ${title}`;
  const excerpt = document.createElement("span");
  excerpt.textContent = [route, excerptOf(text, terms)].filter(Boolean).join(": ");
  link.append(heading, excerpt);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** The text around the first word that was found, from the beginning of a word. */
export function excerptOf(text, terms) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - 40);
  const begin = places.length > 0 ? text.slice(0, from).search(/[\p{L}\p{N}_]*$/u) : 0;
  return `${begin > 0 ? "… " : ""}${text.slice(begin, begin + 140)}${begin + 140 < text.length ? " …" : ""}`;
}

/** Moves the focus with the arrow keys: from the field to the results, and from one to the next. */
function moveThrough(event, stops) {
  const step = isPlain(event) && { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const at = stops.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
}
