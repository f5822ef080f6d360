import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AMENDABLE, NOT_AMENDABLE } from "../contract/bounds.ts";
import { RETURNED } from "../contract/expected-record.ts";

const isReturned = (name: string) => RETURNED.includes(name);
/** Consent is not returned as such: what a read returns has given it. */
const HIDDEN = [...AMENDABLE, ...NOT_AMENDABLE].filter(
  (name) => !isReturned(name) && name !== "consentGiven",
);
const { components } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
const NULLABLE = AMENDABLE.filter((name) =>
  components.schemas.CandidateAmendment.properties[name].type?.includes("null"),
);

/** The names in backticks between two texts of a document. */
function namesIn(file: string, after: string, before: string): string[] {
  const text = readFileSync(file, "utf8");
  const [, rest = ""] = text.split(after);
  const [list = ""] = rest.split(before);
  return [...list.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).sort();
}

test.each<[string, string, string, readonly string[]]>([
  ["docs/guides/amending.md", "A body may contain ", "; any other member", AMENDABLE],
  ["docs/guides/amending.md", "| `null` | it clears ", ", and is refused", NULLABLE],
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
  [
    "docs/operations.md",
    "These members are set at create and cannot be amended: ",
    ". To correct one",
    NOT_AMENDABLE.filter((name) => name !== "externalId"),
  ],
  [
    "client/README.md",
    "If a row differs in one of them that reads return (",
    ")",
    NOT_AMENDABLE.filter((name) => isReturned(name) && name !== "externalId"),
  ],
  ["client/README.md", "The rest of them (", ")", NOT_AMENDABLE.filter((name) => HIDDEN.includes(name))],
  [
    "client/README.md",
    "Because this contains no ",
    " or sensitive documents",
    AMENDABLE.filter((name) => HIDDEN.includes(name)),
  ],
])("%s names the members of which it says “%s”", (file, after, before, names) => {
  expect(namesIn(file, after, before)).toEqual(names.toSorted());
});

test.each([
  [
    "docs/guides/first-call.md",
    readFileSync("docs/guides/first-call.md", "utf8"),
    "**safe projection**: ",
    " and sensitive",
  ],
  [
    "the description of a record",
    components.schemas.CandidateRecord.description,
    "It never contains ",
    " or sensitive",
  ],
])("%s lists the members that reads do not return", (_what, text, after, before) => {
  const [, rest = ""] = text.split(after);
  const [list = ""] = rest.split(before);
  const words = HIDDEN.map((name) =>
    name === "email" ? "e-mail" : name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );

  expect(list.split(", ").sort()).toEqual(words.sort());
});

test.each(HIDDEN)("the description of %s says that it is never returned", (name) => {
  expect(components.schemas.CandidateSubmission.properties[name].description).toMatch(/Never returned\.$/);
});
