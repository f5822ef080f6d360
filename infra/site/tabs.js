import { isPlain } from "./keys.js";

const KEPT = "language";

/** The last language that was chosen, on any page. A browser may refuse to keep it. */
function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function keep(language) {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // The next page begins with the first language.
  }
}

const groups = [];

/**
 * Makes tabs of one program in several languages (WAI-ARIA Authoring Practices, "Tabs"). A choice applies to every
 * group of the page that has the language.
 */
export function makeTabs(group) {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  const tabs = [...group.querySelectorAll("[data-language]")].map((panel, at) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.textContent = panel.dataset.language;
    tab.setAttribute("role", "tab");
    tab.id = `tab-${groups.length}-${at}`;
    panel.id = `${tab.id}-panel`;
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => choose(tab));
    return { tab, panel, language: panel.dataset.language };
  });
  list.append(...tabs.map(({ tab }) => tab));
  list.addEventListener("keydown", (event) => move(event, tabs));
  group.prepend(list);
  group.dataset.ready = "";
  groups.push(tabs);
  show(tabs, tabs.find(({ language }) => language === kept()) ?? tabs[0]);
}

/** Shows a tab's language everywhere, and keeps the tab where it was on the screen. */
function choose(tab) {
  const before = tab.getBoundingClientRect().top;
  const language = tab.textContent;
  keep(language);
  for (const tabs of groups) {
    const chosen = tabs.find((each) => each.language === language);
    if (chosen) show(tabs, chosen);
  }
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
}

function show(tabs, chosen) {
  for (const each of tabs) {
    const isChosen = each === chosen;
    each.tab.setAttribute("aria-selected", String(isChosen));
    each.tab.tabIndex = isChosen ? 0 : -1;
    each.panel.hidden = !isChosen;
  }
}

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

function move(event, tabs) {
  if (!isPlain(event)) return;
  const at = tabs.findIndex(({ tab }) => tab === event.target);
  const to =
    { Home: 0, End: tabs.length - 1 }[event.key] ?? (event.key in STEPS ? at + STEPS[event.key] : -1);
  if (!(event.key in STEPS) && to < 0) return;
  event.preventDefault();
  const { tab } = tabs.at(to % tabs.length);
  tab.focus();
  choose(tab);
}
