import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("every file that docs/architecture.md links exists under the name shown", () => {
  const links = [...readFileSync("docs/architecture.md", "utf8").matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)];

  expect(links.length).toBeGreaterThan(20);
  for (const [link, shown = "", target = ""] of links) {
    const file = join("docs", target);
    expect(existsSync(file), link).toBe(true);
    if (shown.includes("/")) expect(file, link).toBe(shown);
  }
});
