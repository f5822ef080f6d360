import { expect, test } from "vitest";
import { externalIdText } from "../../../../local/console/page/candidate-name.ts";

test.for([
  ["ats-1", "ats-1"],
  [" ats-1 ", " ats-1 "],
  [" ", '" "'],
  ["\u00a0\u200b", '"\u00a0\u200b"'],
] as const)("the console shows an externalId so that it is visible: %j as %j", ([externalId, shown]) => {
  expect(externalIdText(externalId)).toBe(shown);
});
