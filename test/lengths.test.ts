import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** In lines, the first and the last included. */
const LONGEST_FILE = 300;
const LONGEST_FUNCTION = 60;
/** In columns; Biome wraps code, but no comments. */
const LONGEST_COMMENT = 120;

/** Files that may be longer. */
const LONGER_FILES: ReadonlySet<string> = new Set([
  // Generated from the contract.
  "client/src/contract-types.ts",
  // One method per operation: users of the client read it as its reference.
  "client/src/client.ts",
]);

const FOLDERS = ["lib", "functions", "infra", "client", "platform", "local", "tools"];
const files = sourceFiles(`{${FOLDERS}}/**/*.{ts,tsx,js,css}`);
const commented = sourceFiles(`{${FOLDERS},test}/**/*.{ts,tsx,js}`);

/** What is too long in a file: the file itself, and functions by the line on which they begin. */
function tooLongIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length;
  const found: string[] = [];
  const length = text.trimEnd().split("\n").length;
  if (length > LONGEST_FILE && !LONGER_FILES.has(file)) found.push(`${file} has ${length} lines`);
  const look = ({ start, end }: { readonly start: number; readonly end: number }) => {
    const lines = lineOf(end) - lineOf(start) + 1;
    if (lines > LONGEST_FUNCTION) found.push(`${file}:${lineOf(start)} is a function of ${lines} lines`);
  };
  if (file.endsWith(".css")) return found;
  // A method is a function expression.
  new Visitor({
    FunctionDeclaration: look,
    FunctionExpression: look,
    ArrowFunctionExpression: look,
  }).visit(parseSync(file, text).program);
  return found;
}

test("no source file has more than 300 lines, and no function more than 60", () => {
  expect(files.flatMap(tooLongIn)).toEqual([]);
});

/** The lines of a file that a comment makes too long. */
function tooLongCommentsIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length;
  return parseSync(file, text).comments.flatMap(({ start, end }) => {
    const first = lineOf(start);
    const ofComment = lines.slice(first - 1, lineOf(end));
    return ofComment.flatMap(({ length }, index) =>
      length > LONGEST_COMMENT ? [`${file}:${first + index} has ${length} columns`] : [],
    );
  });
}

test("no comment goes beyond 120 columns, except in generated files", () => {
  const written = commented.filter((file) => file !== "client/src/contract-types.ts");
  expect(written.flatMap(tooLongCommentsIn)).toEqual([]);
});
