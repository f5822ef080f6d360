import { expect, test } from "vitest";
import { externalIdText } from "../../../../local/console/page/candidate-name.ts";

test.for([
  ["ats-1", "ats-1"],
  [" ats-1 ", " ats-1 "],
  [" ", '" "'],
  ["\u00a0\u200b", '"\u00a0\u200b"'],
  ["<b>ats</b> 名前 אבג 😀", "<b>ats</b> 名前 אבג 😀"],
  ["ats\n1\u0000", "ats\ufffd1\ufffd"],
  ["\u202eats\u2066-1", "\ufffdats\ufffd-1"],
] as const)("the console shows an externalId so that it is visible: %j as %j", ([externalId, shown]) => {
  expect(externalIdText(externalId)).toBe(shown);
});
