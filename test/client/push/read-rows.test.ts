import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { ColumnMapping } from "../../../client/push/csv-layout.ts";
import type { Format } from "../../../client/push/format.ts";
import { jsonRows } from "../../../client/push/json-rows.ts";
import { readRows } from "../../../client/push/read-rows.ts";
import { fileSource, standardInput } from "../../../client/push/source.ts";
import { UsageError } from "../../../client/terminal/errors.ts";
import type { Terminal } from "../../../client/terminal/terminal.ts";
import { aSubmission } from "../../builders/submission.ts";
import { aFile, ndjson } from "./files.ts";

async function rowsOf(
  content: string | Uint8Array,
  format: Format,
  delimiter = ",",
  columns: ColumnMapping = {},
) {
  const source = await fileSource(await aFile(`rows.${format}`, content));
  const rows = await Array.fromAsync(readRows(source, format, { delimiter, columns }, () => {}));
  return rows.map(({ bytes: _, ...row }) => row);
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

  test.each([
    ["externalId,firstName\next-1,Ada\n", "If it is CSV, add --format csv."],
    ['"externalId";"firstName"\n', "If it is CSV, add --format csv."],
    ['\n [\n  {"externalId": "ext-1"}\n]\n', "If it is a JSON array, add --format json."],
    ['[{"externalId": "ext-1"}]', "If it is a JSON array, add --format json."],
  ])("of another format is refused as a whole: %j", async (content, remedy) => {
    await expect(rowsOf(content, "ndjson")).rejects.toThrow(
      `rows.ndjson is not NDJSON: its first line is not a JSON object. ${remedy}`,
    );
  });

  test("with an endless line is refused instead of read into memory", async () => {
    const content = `{"a":1}\n\n${"x".repeat(25 * 1024 * 1024)}`;

    await expect(rowsOf(content, "ndjson")).rejects.toThrow("Line 3 is too long for a candidate.");
  });
});

describe("a row that is nested too deeply to be processed", () => {
  const levels = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const TOO_DEEP = "the row is nested more than 100 levels deep";

  test("is reported in NDJSON, and the others are read", async () => {
    const line = `{"tags":${levels(20_000)}}`;

    expect(await rowsOf(`${line}\n{"a":2}\n${levels(100)}`, "ndjson")).toEqual([
      { number: 1, value: line, problem: TOO_DEEP },
      { number: 2, value: { a: 2 } },
      { number: 3, value: JSON.parse(levels(100)) },
    ]);
  });

  test("is reported in a JSON array, and the others are read", async () => {
    expect(await rowsOf(`[{"externalId":"e","tags":${levels(20_000)}},{"a":2}]`, "json")).toEqual([
      { number: 1, value: { externalId: "e" }, problem: TOO_DEEP },
      { number: 2, value: { a: 2 } },
    ]);
  });

  test("has the text of its cell in CSV", async () => {
    const headings = "externalId,firstName,lastName,email,countryOfResidence,consentGiven,skills";
    const [row] = await rowsOf(`${headings}\next-1,Ada,L,a@example.com,GB,true,${levels(20_000)}\n`, "csv");

    expect(row?.value).toMatchObject({ externalId: "ext-1", skills: levels(20_000) });
  });
});

function chunksOf(content: string, size: number): Buffer[] {
  const bytes = Buffer.from(content);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

/** The rows of standard input, which can be read only once. */
function rowsOfInput(chunks: readonly Buffer[], format: Format = "json") {
  return readRows(inputOf(chunks), format, { delimiter: ",", columns: {} }, () => {});
}

function inputOf(chunks: readonly Buffer[]) {
  const stdin = Readable.from(chunks) as Terminal["stdin"];
  return standardInput({ stdin }, new AbortController().signal);
}

describe("a JSON array", () => {
  test("has one row per item", async () => {
    const values = [aSubmission(), 1, null, [{ a: "]" }]];

    expect(await rowsOf(JSON.stringify(values, null, 2), "json")).toEqual(
      values.map((value, at) => ({ number: at + 1, value })),
    );
  });

  test.each(['{"a":1}', '[{"a":1},', "[1 2]", "name,email"])("is not read from %s", async (content) => {
    await expect(rowsOf(content, "json")).rejects.toThrow(/is not a valid JSON array/);
  });
});

test.each([
  ['{"a":1}', "it begins with an object. Put the candidates between [ and ]"],
  ['\n{"a":1}\n{"b":2}', "If each line contains an object, add --format ndjson."],
  ['[{"a":1},\n]', "a comma before ] or } is one too many, near line 2, column 1. Remove it."],
  ['[{"a":1,}]', "a comma before ] or } is one too many, near line 1, column 9. Remove it."],
  ["name,email", "it does not begin with [."],
  ["[1 2]", "the error is near line 1, column 4."],
  ['[\r\n{"é😀":"ä"}\r\n{}]', "the error is near line 3, column 1."],
  ['[{"é😀":"ä"} {}]', "the error is near line 1, column 13."],
  ['[{"a": tru}]', "the error is near line 1, column 8."],
  ['[{"a":"b\\x"}]', "the error is near line 1, column 9."],
  ['[{"a":1}]\n{"a":2}', "the error is near line 2, column 1."],
  ["[", "it ends before the array is closed. Check that the file is complete."],
  ['[{"a":1},\n', "it ends before the array is closed."],
  ['[{"a":"b', "it ends before the array is closed."],
  ['[{"tags":["b"]', "it ends before the array is closed."],
])("what is wrong with a JSON array is said: %j", async (content, problem) => {
  await expect(rowsOf(content, "json")).rejects.toThrow(problem);
});

describe("an item of a JSON array that does not end", () => {
  const TOO_LONG = "Item 2 is too long for a candidate. Check its quotes and brackets.";

  test.each([
    ["a string", `"${"x".repeat(25 * 1024 * 1024)}`],
    ["many lists", "[".repeat(1_500_000)],
  ])("is refused instead of read into memory: %s", async (_, item) => {
    await expect(rowsOf(`[{"a": 1}, ${item}`, "json")).rejects.toThrow(TOO_LONG);
  });

  /** The rows of standard input in which an item has at most 100 characters, of chunks of 10, and 20 parts. */
  const rowsWithin = (content: string) =>
    Array.fromAsync(jsonRows(inputOf(chunksOf(content, 10)), { characters: 100, parts: 20 }));

  test.each([
    ["characters", `"${"x".repeat(200)}`],
    ["values", `[${"1,".repeat(30)}`],
    ["values, though it ends", `[${"1,".repeat(30)}1]]`],
  ])("is refused with its number: many %s", async (_, item) => {
    await expect(rowsWithin(`[{"a": 1}, ${item}`)).rejects.toThrow(TOO_LONG);
  });

  test.each([
    ["characters", "x".repeat(60)],
    ["parts", [1, 2, 3, 4, 5, { a: "b" }]],
  ])("is not confused with many items of some %s", async (_, item) => {
    expect(await rowsWithin(JSON.stringify(Array(10).fill(item), null, 1))).toHaveLength(10);
  });
});

describe("the place of an error far into a JSON array", () => {
  const item = `  {"summary": "${"é😀".repeat(500)}"},\r\n`;
  const content = `[\r\n${item.repeat(500)}  {"é😀" "x"},\r\n${item.repeat(500)}]`;
  const problem = "is not a valid JSON array: the error is near line 502, column 9.";

  test("is shown", async () => {
    await expect(rowsOf(content, "json")).rejects.toThrow(problem);
  });

  test.each([997, 65_536])("is shown of standard input too, in chunks of %i bytes", async (size) => {
    await expect(Array.fromAsync(rowsOfInput(chunksOf(content, size)))).rejects.toThrow(
      `standard input ${problem}`,
    );
  });
});

test("JSON from standard input that lacks its end is said to end too early", async () => {
  await expect(Array.fromAsync(rowsOfInput([Buffer.from('[{"a":1},')]))).rejects.toThrow(
    "standard input is not a valid JSON array: it ends before the array is closed.",
  );
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

  test("has no row on a line of delimiters alone, as Excel writes a blank row", async () => {
    const blank = ";;;;;;";
    const lines = [head, blank, line("one"), ";; ;;;;", '"";;;;;;', line("two"), ";;", blank, ""];

    const rows = await rowsOf(lines.join("\r\n"), "csv", ";");

    expect(rows.map(({ number, problem }) => ({ number, problem }))).toEqual([
      { number: 3, problem: undefined },
      { number: 6, problem: undefined },
    ]);
  });

  test.each([
    ["\n", "\n"],
    ["\r\n", "\r\n"],
    ["\r", "\r"],
    ["\r\n", "\n"],
    ["\n", "\r"],
  ])(
    "numbers the lines of rows that end with %j, with the line break %j in cells",
    async (end, lineBreak) => {
      const lines = [
        head,
        line(`"one${lineBreak}two"`),
        line("three"),
        "",
        line(`"four${lineBreak}${lineBreak}five"`),
        line("six"),
      ];

      const rows = await rowsOf(lines.join(end), "csv", ";");

      expect(rows.map(({ number }) => number)).toEqual([2, 4, 6, 9]);
      expect(rows[0]?.value).toMatchObject({ summary: `one${lineBreak}two` });
    },
  );

  test.each(["\n", "\r\n", "\r"])(
    "has no part of a line end in a cell, whatever ends the other lines than the first: %j",
    async (end) => {
      const others = [
        `${line("one")}\r\n`,
        `${line('"two"')}\r\n`,
        `${line("three")}\n\n`,
        `${line("four")}\r`,
      ];

      const rows = await rowsOf(`${head}${end}${others.join("")}${line("five")}`, "csv", ";");

      expect(rows.map(({ number, value }) => [number, value])).toEqual(
        ["one", "two", "three", "four", "five"].map((summary, index) => [
          index < 3 ? index + 2 : index + 3,
          { ...ada, summary },
        ]),
      );
    },
  );

  test.each<[string, string[], string]>([
    ["never closes", [line("a"), line('"secret'), line("b")], "quote that opens in line 3 never closes"],
    ["never closes after blank lines", [line("a"), "", "", '"secret', "b"], "opens in line 5 never closes"],
    [
      "never closes after delimiters alone",
      [line("a"), ";;;", ";", '"secret'],
      "opens in line 5 never closes",
    ],
    ["is followed by text after delimiters alone", [";;;;;;", line('"secret"quote')], "opens in line 3"],
    [
      "never closes after a cell with line breaks",
      [line('"a\nb"'), '"c\nd";"secret'],
      "opens in line 5 never",
    ],
    ["is followed by text", [line('"secret"quote')], "text follows the closing quote .* in line 2"],
    [
      "takes the next line's quote",
      [line('"secret'), line('"b"')],
      "text follows .* opens in line 2\\. Close the quote of that cell if it was left open, or double",
    ],
    ["is followed by another delimiter", [line("a"), '"secret","b"'], "text follows .* opens in line 3"],
    [
      "never closes after blank lines further up",
      [line("a"), "", line("b"), '"secret'],
      "in line 5 never closes",
    ],
    [
      "is inside a cell after line breaks",
      [line('"a\r\nb"'), line('secret"quote')],
      "a cell in line 4 contains",
    ],
    ["is inside a cell", [line("a"), line('secret"quote')], "a cell in line 3 contains a quote"],
  ])("reports the line of a quote that %s, and no cell", async (_, lines, message) => {
    const rows = rowsOf([head, ...lines].join("\n"), "csv", ";");

    await expect(rows).rejects.toThrow(new RegExp(message));
    await expect(rows).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("secret") }),
    );
  });

  test("reports the line of a heading's quote that never closes", async () => {
    await expect(rowsOf('"externalId', "csv")).rejects.toThrow("the quote that opens in line 1 never closes");
  });

  test.each([";", "\t"])("with the delimiter %j and quoted cells names the delimiter", async (delimiter) => {
    const headings = ["externalId", "firstName", "lastName", "email", "countryOfResidence", "consentGiven"];
    const row = ["ext-1", "Ada", '"L, x"', "a@example.com", "GB", "true"];
    const content = [headings, row].map((cells) => cells.join(delimiter)).join("\n");

    await expect(rowsOf(content, "csv")).rejects.toThrow(
      /^The first line separates the column headings with .*\. Add --delimiter /,
    );
  });

  test.each([
    [
      '{"externalId":"ext-1"}\n',
      "it begins with {. If each line contains a JSON object, add --format ndjson.",
    ],
    ['\uFEFF\r\n {"externalId":"a;b"}', "it begins with {. If each line contains a JSON object"],
    ['\n [\n{"externalId":"ext-1"}]', "it begins with [. If it is a JSON array, add --format json."],
  ])("that is JSON is refused as a whole: %j", async (content, problem) => {
    const rows = rowsOf(content, "csv");

    await expect(rows).rejects.toBeInstanceOf(UsageError);
    await expect(rows).rejects.toThrow(`rows.csv is not CSV: ${problem}`);
  });

  test.each([
    ["sep=;", ";", '"sep=;"', "Remove it."],
    ["SEP=;", ",", '"SEP=;"', 'Remove it, and add --delimiter ";".'],
    ['"sep=;"', ",", '"sep=;"', 'Remove it, and add --delimiter ";".'],
    ["sep=,", ",", '"sep=,"', "Remove it."],
    ["sep=\t", "\t", '"sep=\\t"', "Remove it."],
    ["sep=\t", ",", '"sep=\\t"', 'Remove it, and add --delimiter "\\t".'],
    ["sep=:", ",", '"sep=:"', 'Remove it, and add --delimiter ":".'],
  ])("with Excel's first line %j, read with %j, is refused", async (first, delimiter, shown, remedy) => {
    const rows = rowsOf(`${first}\r\n${head}\r\n${line('"a"')}\r\n`, "csv", delimiter);

    await expect(rows).rejects.toBeInstanceOf(UsageError);
    await expect(rows).rejects.toThrow(
      `The first line, ${shown}, only contains the delimiter, for Excel. ${remedy}`,
    );
  });

  test("may begin with a bracket if the column mapping has that heading", async () => {
    const columns = { "[Summary]": "summary" };
    const content = `${head.split(";").reverse().join(";")}\n${line("Plain").split(";").reverse().join(";")}\n`;

    const rows = await rowsOf(content.replace("summary", "[Summary]"), "csv", ";", columns);

    expect(rows).toEqual([{ number: 2, value: { ...ada, summary: "Plain" } }]);
  });

  test.each(["\n", "\r"])(
    "points at the quotes of a row that takes the next lines into its cells, ended by %j",
    async (end) => {
      const rows = await rowsOf([head, `"ext-1;Ada`, `";${line("a")}`].join(end), "csv", ";");

      expect(rows).toMatchObject([
        {
          number: 2,
          problem: "the row has 8 cells, but 7 are expected. It spans 2 lines: check its quotes",
        },
      ]);
    },
  );

  test.each([
    [",", ";", '";"'],
    [",", "\t", '"\\t"'],
    [";", ",", '","'],
  ])("read with %j although it has %j names the delimiter", async (delimiter, written, option) => {
    const rows = rowsOf(`${head.replaceAll(";", written)}\n`, "csv", delimiter);

    await expect(rows).rejects.toThrow(`Add --delimiter ${option}.`);
  });

  test.each([
    [",", ";", '";"'],
    [";", "\t", '"\\t"'],
  ])(
    "read with %j although its quoted headings have %j names the delimiter",
    async (delimiter, written, option) => {
      const quoted = head.replaceAll(/\w+/g, '"$&"').replaceAll(";", written);

      await expect(rowsOf(`${quoted}\n`, "csv", delimiter)).rejects.toThrow(`Add --delimiter ${option}.`);
    },
  );
});

const HEADINGS = "externalId,firstName,lastName,email,countryOfResidence,consentGiven";

test.each<[Format, string]>([
  ["ndjson", ""],
  ["ndjson", "\uFEFF\n \r\n"],
  ["json", ""],
  ["json", " \n"],
  ["json", "[ ]\n"],
  ["csv", ""],
  ["csv", "\r\n,,\r\n"],
  ["csv", HEADINGS],
  ["csv", `${HEADINGS}\n\n,,,,,\n`],
])("a file of %s without rows is refused: %j", async (format, content) => {
  const rows = rowsOf(content, format);

  await expect(rows).rejects.toBeInstanceOf(UsageError);
  await expect(rows).rejects.toThrow(
    new RegExp(`^.+/rows\\.${format} has no rows\\. Give a file with at least one candidate\\.$`),
  );
});

test.each([1, 2, 3, 4096])("CSV is read in chunks of any size, such as %i bytes", async (size) => {
  const lines = [
    `\uFEFF${HEADINGS},summary,tags`,
    '1,Ada,"L,""x""",a@example.com,GB,true,"é😀\r\n",[]',
    '2,Bob,M,b@example.com,GB,true,,"[""a"",""b""]"',
  ];

  const rows = await Array.fromAsync(rowsOfInput(chunksOf(lines.join("\r\n"), size), "csv"));

  expect(rows.map(({ number, value }) => ({ number, value }))).toMatchObject([
    { number: 2, value: { externalId: "1", lastName: 'L,"x"', summary: "é😀\r\n", tags: [] } },
    { number: 4, value: { externalId: "2", tags: ["a", "b"] } },
  ]);
});

test.each<Format>(["ndjson", "json", "csv"])(
  "the bytes of rows of %s add up to those of the file",
  async (format) => {
    const summary = "é".repeat(4_000);
    const submissions = Array.from({ length: 40 }, (_, at) => aSubmission({ externalId: `${at}`, summary }));
    const contents = {
      ndjson: ndjson(submissions),
      json: JSON.stringify(submissions),
      csv: `${HEADINGS},summary\n${submissions.map(({ externalId }) => `${externalId},A,L,a@example.com,GB,true,${summary}\n`).join("")}`,
    };
    const content = Buffer.from(contents[format]);
    const source = await fileSource(await aFile("rows", content));

    const rows = await Array.fromAsync(readRows(source, format, { delimiter: ",", columns: {} }, () => {}));

    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(content.length);
    // Of a JSON array without the chunks that are being read.
    expect(bytes).toBeGreaterThan(content.length / 2);
  },
);

test.each<[Format, string, string]>([
  ["ndjson", "1f8b0808", "is compressed. Decompress it"],
  ["json", "1f8b0808", "is compressed. Decompress it"],
  ["json", "504b0304", "looks like a workbook"],
  ["csv", "504b0304", "looks like a workbook"],
])(
  "a file said to be %s that begins with the bytes %s is refused as what it is",
  async (format, bytes, what) => {
    await expect(rowsOf(Buffer.from(bytes, "hex"), format)).rejects.toThrow(what);
  },
);

test.each<[Format, string, string]>([
  ["ndjson", '{"a":"Ada"}\n\n{"a":"José"}\n', "line 3, byte offset 22 (0xE9)"],
  ["json", '["José"]', "line 1, byte offset 5 (0xE9)"],
  ["csv", "José,b\n", "line 1, byte offset 3 (0xE9)"],
])(
  "a file of %s that is not UTF-8 is refused with line and offset of the byte",
  async (format, content, place) => {
    await expect(rowsOf(Buffer.from(content, "latin1"), format)).rejects.toThrow(
      `is not UTF-8: ${place}. Save it as UTF-8.`,
    );
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
  const rows = readRows(source, format, { delimiter: ",", columns: {} }, () => {});

  await rows.next();
  await rows.return(undefined);

  expect(chunks).toBeLessThan(50);
});
