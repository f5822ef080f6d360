import { describe, expect, test } from "vitest";
import { type Format, formatOf, readRows } from "../../../client/push/formats.ts";
import { fileSource } from "../../../client/push/source.ts";
import { aSubmission } from "../../builders/submission.ts";
import { aFile, ndjson } from "./files.ts";

async function rowsOf(content: string | Uint8Array, format: Format, delimiter = ",") {
  const source = await fileSource(await aFile(`rows.${format}`, content));
  const rows = await Array.fromAsync(readRows(source, format, { delimiter, columns: {} }));
  return rows.map(({ position: _, ...row }) => row);
}

describe("NDJSON", () => {
  test("has one row per line, with any line ending; blank lines are counted and skipped", async () => {
    expect(await rowsOf('{"a":1}\r\n\n  \n{"a":2}', "ndjson")).toEqual([
      { number: 1, value: { a: 1 } },
      { number: 4, value: { a: 2 } },
    ]);
  });

  test("may begin with a byte order mark, and contain Unicode line separators and split characters", async () => {
    const values = Array.from({ length: 40 }, (_, at) => ({ at, text: "ä\u2028é😀".repeat(1000) }));

    const rows = await rowsOf(`\uFEFF${ndjson(values)}`, "ndjson");

    expect(rows.map(({ value }) => value)).toEqual(values);
  });

  test("reports unreadable rows and reads the others", async () => {
    expect(await rowsOf('{"a":\n{"a":2}\n', "ndjson")).toEqual([
      { number: 1, value: '{"a":', problem: "the line is not JSON" },
      { number: 2, value: { a: 2 } },
    ]);
  });

  test("with an endless line is refused instead of read into memory", async () => {
    await expect(rowsOf("x".repeat(25 * 1024 * 1024), "ndjson")).rejects.toThrow("too long");
  });
});

describe("a JSON array", () => {
  test("has one row per item", async () => {
    const values = [aSubmission(), 1, null, [{ a: "]" }]];

    expect(await rowsOf(JSON.stringify(values, null, 2), "json")).toEqual(
      values.map((value, at) => ({ number: at + 1, value })),
    );
    expect(await rowsOf("[]", "json")).toEqual([]);
  });

  test.each(['{"a":1}', '[{"a":1},', "[1 2]", "name,email"])("is not read from %s", async (content) => {
    await expect(rowsOf(content, "json")).rejects.toThrow(/is not a JSON array/);
  });
});

describe("CSV", () => {
  const head = "externalId;firstName;lastName;email;countryOfResidence;consentGiven;summary";
  const line = (summary: string) => `ext-1;Ada;Lovelace;ada@example.com;GB;true;${summary}`;
  const ada = aSubmission({
    externalId: "ext-1",
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@example.com",
    countryOfResidence: "GB",
  });

  test("has one row per line, with quoted cells and another delimiter", async () => {
    const quoted = line('"He said ""yes"";\nthen left"');

    expect(await rowsOf(`\uFEFF${head}\r\n${line("Plain")}\r\n\r\n${quoted}\r\n`, "csv", ";")).toEqual([
      { number: 2, value: { ...ada, summary: "Plain" } },
      { number: 4, value: { ...ada, summary: 'He said "yes";\nthen left' } },
    ]);
  });

  test("with wrong quotes ends there, without disclosing the cell", async () => {
    await expect(rowsOf(`${head}\n${line('secret"quote')}\n`, "csv", ";")).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("secret") }),
    );
  });

  test("without a header line is refused", async () => {
    await expect(rowsOf("", "csv")).rejects.toThrow("must contain the column headings");
  });
});

test.each<[Format, string]>([
  ["ndjson", '{"a":"José"}\n'],
  ["json", '["José"]'],
  ["csv", "José,b\n"],
])("a file of %s that is not UTF-8 is refused", async (format, content) => {
  await expect(rowsOf(Buffer.from(content, "latin1"), format)).rejects.toThrow("Save it as UTF-8");
});

test.each([
  ["a.ndjson", "ndjson"],
  ["a.b.JSONL", "ndjson"],
  ["/x/a.json", "json"],
  ["a.csv", "csv"],
])("the format of %s is %s, from its extension", (file, format) => {
  expect(formatOf(file)).toBe(format);
});

test.each(["-", "candidates.txt", "candidates"])(
  "the file name %s has no known format, and --format is required",
  (file) => {
    expect(() => formatOf(file)).toThrow("--format");
  },
);

test.each<[Format, string]>([
  ["ndjson", "1\n"],
  ["json", "1,"],
])("rows of %s are read lazily", async (format, row) => {
  let chunks = 0;
  const source = {
    name: "endless",
    size: undefined,
    bytesRead: 0,
    async *text() {
      for (chunks = 1; ; chunks += 1) yield (format === "json" && chunks === 1 ? "[" : "") + row.repeat(1000);
    },
  };
  const rows = readRows(source, format, { delimiter: ",", columns: {} });

  await rows.next();
  await rows.return(undefined);

  expect(chunks).toBeLessThan(50);
});
