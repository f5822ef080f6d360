import { addCopyButtons } from "./copy.js";
import { fillIn } from "./fill-in.js";
import { addSearch } from "./search.js";
import { makeTabs } from "./tabs.js";

for (const group of document.querySelectorAll(".tabs")) makeTabs(group);
for (const block of document.querySelectorAll("pre[data-environment]")) void fillIn(block);
addCopyButtons();
addSearch();
showContents();

/** Opens the list of headings where there is room for it beside the text, and marks the section in sight. */
function showContents() {
  const details = document.querySelector(".contents details");
  if (!details) return;
  const wide = matchMedia("(min-width: 80rem)");
  const adapt = () => {
    details.open = wide.matches;
  };
  wide.addEventListener("change", adapt);
  adapt();

  const links = new Map([...details.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver(
    (entries) => {
      const [first] = entries.filter(({ isIntersecting }) => isIntersecting);
      if (!first) return;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(first.target.id)?.setAttribute("aria-current", "location");
    },
    { rootMargin: "0px 0px -70%" },
  );
  for (const id of links.keys()) {
    const heading = document.getElementById(id);
    if (heading) observer.observe(heading);
  }
}
