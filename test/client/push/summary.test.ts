import { expect, test } from "vitest";
import { summary } from "../../../client/push/summary.ts";
import { emptyTally } from "../../../client/push/tally.ts";

test("the final summary of a push shows the outcomes of the rows and what to do", () => {
  const tally = {
    ...emptyTally(),
    skipped: 500,
    skippedRefused: 2,
    created: 1200,
    unchanged: 2,
    refused: 1,
    failed: 1,
  };

  const firstReasons = ["line 7: email: an e-mail address is expected", "line 9: Alas."];
  const outcome = { tally, notes: [], refused: 3, refusedFile: "x.ndjson", firstReasons, seconds: 61 };

  expect(summary({ ...outcome, compared: 3_145_728, mode: "create", goOn: "again" })).toBe(
    [
      "1,704 rows in 1 min 1 s: 498 done earlier, 1,200 created, 2 already existed, 3 refused, 1 failed.",
      "Existing candidates were left unchanged. Add --update to amend those that differ.",
      "  line 7: email: an e-mail address is expected",
      "  line 9: Alas.",
      "Reasons for each row: x.ndjson",
      "Only the first 3,145,728 rows were compared with later ones to find a repeated externalId.",
      "Run the same command again to push the remaining rows.",
      "",
    ].join("\n"),
  );
});

test("the final summary of an interrupted push counts only the earlier refusals that it has passed", () => {
  const tally = { ...emptyTally(), skipped: 5 };
  const outcome = {
    tally,
    refused: 3,
    refusedFile: "x",
    notes: [],
    firstReasons: [],
    compared: undefined,
    seconds: 1,
  };

  expect(summary({ ...outcome, mode: "create", goOn: "again" })).toBe(
    [
      "5 rows in 1 s: 5 done earlier.",
      "Reasons for each row: x",
      "Run the same command again to push the remaining rows.",
      "",
    ].join("\n"),
  );
});

test.each([
  [
    "update",
    { amended: 1, unchanged: 1 },
    "2 rows in 1 s: 1 amended, 1 already up to date as far as compared.\n",
  ],
  ["dry run", { valid: 1 }, "1 row in 1 s: 1 valid.\nNothing was sent.\n"],
  ["create", { failed: 1 }, "1 row in 1 s: 1 failed.\nReasons for each row: x\n"],
] as const)("the final summary of a push says what it was, a push with %s", (mode, outcomes, text) => {
  const tally = { ...emptyTally(), ...outcomes };
  const outcome = {
    tally,
    refused: 0,
    refusedFile: "x",
    notes: [],
    firstReasons: [],
    compared: undefined,
    seconds: 1,
  };

  expect(summary({ ...outcome, mode, goOn: undefined })).toBe(text);
});

test("the final summary of a push says that it took under a second, and shows no row if none was read", () => {
  const outcome = { refused: 0, refusedFile: "x", notes: [], firstReasons: [], compared: undefined };
  const short = { ...outcome, mode: "create", seconds: 0.99 } as const;

  expect(summary({ ...short, tally: { ...emptyTally(), created: 1 }, goOn: undefined })).toBe(
    "1 row in under 1 s: 1 created.\n",
  );
  expect(summary({ ...short, tally: emptyTally(), goOn: "file" })).toBe(
    "Correct the file, then run the command again.\n",
  );
});
