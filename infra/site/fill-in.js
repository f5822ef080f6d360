import { baseUrl, localKey } from "./environment.js";

/** What stands in the guide for the address and the key of the reader's environment. */
const BASE = "https://your-api-id.execute-api.eu-west-1.amazonaws.com/development";
const KEY = "rr_dev_…";
/** What stands for a key until there is one: in production keys begin with `rr_live_`. */
const NO_KEY = "rr_…";

/** Fills the page's own environment into the block that sets `BASE` and `KEY`, and a key: given, or typed. */
export async function fillIn(block) {
  const texts = textsOf(block);
  const field = document.createElement("input");
  field.type = "text";
  field.spellcheck = false;
  field.autocomplete = "off";
  field.placeholder = NO_KEY;
  const label = document.createElement("label");
  label.append("Your API key", field);
  const hint = document.createElement("p");
  hint.id = "key-hint";
  hint.textContent =
    "The platform team gives you a key for this environment. What you type here stays in this page.";
  field.setAttribute("aria-describedby", hint.id);
  const form = document.createElement("div");
  form.className = "environment";
  form.append(label, hint);
  (block.closest(".code") ?? block).before(form);

  const fill = () => {
    // A key has no other characters, so that what is pasted into a shell needs no quotes.
    const key = /^\w+$/.test(field.value.trim()) ? field.value.trim() : NO_KEY;
    for (const { node, text } of texts) node.data = text.replace(BASE, baseUrl).replace(KEY, key);
  };
  field.addEventListener("input", fill);
  fill();

  const given = await localKey();
  if (!given || field.value) return;
  field.value = given.apiKey;
  hint.textContent = `The local stack's key of ${given.name}, filled in for you.`;
  fill();
}

function textsOf(block) {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push({ node: walker.currentNode, text: walker.currentNode.data });
  return texts;
}
