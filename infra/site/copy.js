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
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
      status.textContent = "Copied";
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
