import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";

/** Who may import whom, types included: each folder its own files and those of the folders in its row. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "lib/contract": [],
  "lib/runtime": ["lib/contract"],
  "lib/api-keys": ["lib/contract", "lib/runtime"],
  "lib/candidates": ["lib/contract"],
  "lib/candidates/store/item": ["lib/contract", "lib/candidates"],
  "lib/candidates/store/write": [
    "lib/contract",
    "lib/runtime",
    "lib/candidates",
    "lib/candidates/store/item",
  ],
  "lib/candidates/store/large": [
    "lib/contract",
    "lib/runtime",
    "lib/candidates",
    "lib/candidates/store/item",
    "lib/candidates/store/write",
  ],
  "lib/candidates/store": ["lib/contract", "lib/runtime", "lib/candidates", "lib/candidates/store/*"],
  "lib/candidates/outbox": ["lib/contract", "lib/runtime", "lib/candidates", "lib/candidates/store/item"],
  "lib/webhooks/endpoints": ["lib/contract", "lib/runtime"],
  "lib/webhooks/delivery": ["lib/contract", "lib/runtime", "lib/candidates/outbox", "lib/webhooks/endpoints"],
  "lib/webhooks/dead-letters": ["lib/runtime", "lib/candidates/outbox", "lib/webhooks/*"],
  functions: ["lib/*"],
  infra: ["lib/*", "tools/site"],
  "client/src": [],
  "client/push": ["lib/contract", "client", "client/src"],
  client: ["lib/contract", "tools/openapi"],
  platform: ["lib/*"],
  local: ["local/console"],
  "local/console": ["lib/*", "client/src", "local"],
  docs: [],
  "tools/openapi": ["lib/contract"],
  "tools/site": [],
  "tools/costs": ["infra"],
  "tools/rehearsal": ["lib/webhooks/delivery", "local", "tools"],
  "tools/bench": ["lib/*", "infra", "local", "tools/costs", "tools", "test"],
  "tools/mutants": ["tools/simulation", "tools/reliability", "test"],
  "tools/reliability": ["tools/simulation"],
  "tools/schemathesis": ["local", "tools/rehearsal", "tools"],
  "tools/simulation": ["lib/*", "functions", "local", "tools/reliability"],
  tools: ["local"],
};
/** Tests import what they test. */
const ANYTHING = "test";

const tracked = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { encoding: "utf8" }).trim().split("\n");
const aliases: [string, string][] = Object.entries(JSON.parse(readFileSync("package.json", "utf8")).imports);

/** The folder of the table that a file is in: the longest one. */
function folderOf(file: string): string | undefined {
  const folders = [...Object.keys(MAY_IMPORT), ANYTHING].filter((folder) => file.startsWith(`${folder}/`));
  return folders.toSorted((left, right) => right.length - left.length)[0];
}

/** Whether an entry of a row is the folder, or `/*` of one that it is in. */
function holds(entry: string, folder: string): boolean {
  return entry.endsWith("/*") ? folder.startsWith(entry.slice(0, -1)) : folder === entry;
}

/** The files of the project that a file imports, or takes a type from. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const named = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    // Quotes included; what is put together at run time names no file.
    ...dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ];
  return named.flatMap((name) => {
    if (name.startsWith(".")) return name.includes("${") ? [] : join(file, "..", name);
    const [alias, target] = aliases.find(([each]) => name.startsWith(each.replace("*", ""))) ?? [];
    return alias && target ? join(target.replace("*", name.slice(alias.length - 1))) : [];
  });
}

test("every file is in a folder of the table", () => {
  expect(tracked.filter((file) => file.includes("/") && folderOf(file) === undefined)).toEqual([]);
});

test("no folder imports one that is not in its row", () => {
  const breaches = tracked.flatMap((file) => {
    const folder = folderOf(file);
    if (folder === undefined || folder === ANYTHING) return [];
    const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])];
    return importsOf(file)
      .filter((imported) => !allowed.some((entry) => holds(entry, folderOf(imported) ?? "")))
      .map((imported) => `${file} imports ${imported}`);
  });
  expect(breaches).toEqual([]);
});

test("no row names a folder that its files do not import", () => {
  const used = tracked.flatMap((file) =>
    importsOf(file).map((imported) => [folderOf(file) ?? "", folderOf(imported) ?? ""] as const),
  );
  const unused = Object.entries(MAY_IMPORT).flatMap(([folder, entries]) =>
    entries
      .filter((entry) => !used.some(([from, to]) => from === folder && holds(entry, to)))
      .map((entry) => `${folder} imports ${entry}`),
  );
  expect(unused).toEqual([]);
});
