const SHOWN_MS = 2_000;

/** Gives every block of code a button that copies it. */
export function addCopyButtons() {
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.className = "unseen";
  const blocks = [...document.querySelectorAll("main.text pre")];
  for (const pre of blocks) {
    const frame = document.createElement("div");
    frame.className = "code";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const outcome = await copy(pre);
      button.textContent = outcome;
      status.textContent = outcome;
      setTimeout(() => {
        button.textContent = "Copy";
        status.textContent = "";
      }, SHOWN_MS);
    });
    pre.replaceWith(frame);
    frame.append(pre, button);
  }
  // It is read out as its text changes.
  if (blocks.length > 0) document.querySelector("main.text")?.append(status);
}

/** Copies a block's text. A browser may refuse it to the page: then the text is selected, for the reader to copy. */
async function copy(pre) {
  try {
    await navigator.clipboard.writeText(pre.textContent);
    return "Copied";
  } catch {
    window.getSelection()?.selectAllChildren(pre);
    return "Selected";
  }
}
