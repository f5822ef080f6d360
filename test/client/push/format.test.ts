import { expect, test } from "vitest";
import { formatOf } from "../../../client/push/format.ts";

test.each([
  ["a.ndjson", "ndjson"],
  ["a.b.JSONL", "ndjson"],
  ["/x/a.json", "json"],
  ["a.csv", "csv"],
])("the format of %s is %s, from its extension", (file, format) => {
  expect(formatOf(file)).toBe(format);
});

test.each([
  ["-", "Standard input does not show the format."],
  ["candidates.txt", "The name candidates.txt does not show the format."],
  ["candidates", "The name candidates does not show the format."],
])("the file name %s has no known format, and --format is required", (file, problem) => {
  expect(() => formatOf(file)).toThrow(`${problem} Add --format ndjson, json or csv.`);
});

test.each(["a.xlsx", "a.XLS", "a.xlsm", "a.ods"])(
  "the file name %s is that of a workbook, which is to be saved as CSV",
  (file) => {
    expect(() => formatOf(file)).toThrow(
      `${file} looks like a workbook, of Excel for example. Save the sheet`,
    );
  },
);

test.each(["a.csv.gz", "a.ZIP"])("the file name %s is that of a compressed file", (file) => {
  expect(() => formatOf(file)).toThrow(`${file} is compressed. Decompress it`);
});
