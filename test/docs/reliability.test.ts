import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageOf } from "../../tools/reliability/page.ts";
import { PAGE_FILE } from "../../tools/reliability/recording.ts";
import { readRecords } from "../../tools/reliability/records.ts";

test("docs/reliability.md contains the recorded results of the simulation searches", () => {
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(pageOf(readRecords()));
});
