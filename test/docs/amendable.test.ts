import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AMENDABLE, NOT_AMENDABLE } from "../contract-schemas/bounds.ts";

/** The names in backticks between two texts of a document. */
function namesIn(file: string, after: string, before: string): string[] {
  const text = readFileSync(file, "utf8");
  const [, rest = ""] = text.split(after);
  const [list = ""] = rest.split(before);
  return [...list.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).sort();
}

test.each<[string, string, string, readonly string[]]>([
  ["docs/guides/amending.md", "A body may contain ", "; any other member", AMENDABLE],
  [
    "client/README.md",
    "members of the row that it accepts: ",
    ". The others",
    AMENDABLE.filter((name) => name !== "consentGiven"),
  ],
  [
    "docs/guides/idempotent-sync.md",
    "An amend accepts fewer members than a create: ",
    " are set once",
    NOT_AMENDABLE,
  ],
])("%s names the members that an amend accepts, or does not accept", (file, after, before, names) => {
  expect(namesIn(file, after, before)).toEqual(names.toSorted());
});
