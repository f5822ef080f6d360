import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";

/** Who may import whom, types included: each folder its own files and those of the folders in its row. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "lib/contract": [],
  "lib/aws": ["lib/contract"],
  "lib/organisations": ["lib/contract", "lib/aws"],
  "lib/candidates": ["lib/contract", "lib/aws", "lib/organisations"],
  "lib/webhooks": ["lib/contract", "lib/aws", "lib/organisations", "lib/candidates"],
  "lib/http": ["lib/contract", "lib/aws", "lib/organisations", "lib/candidates"],
  functions: ["lib/contract", "lib/aws", "lib/organisations", "lib/candidates", "lib/webhooks", "lib/http"],
  "client/src": [],
  "client/push": ["lib/contract", "client", "client/src"],
  client: ["lib/contract", "tools/openapi"],
  infra: ["lib/contract", "lib/aws", "lib/organisations", "lib/candidates", "lib/webhooks", "tools/site"],
  platform: ["lib/contract", "lib/aws", "lib/organisations", "lib/candidates", "lib/webhooks"],
  "local/console": ["lib/contract", "lib/candidates", "lib/webhooks", "client/src", "local"],
  local: ["local/console"],
  docs: [],
  "tools/openapi": ["lib/contract"],
  "tools/site": [],
  "tools/costs": ["infra"],
  "tools/rehearsal": ["lib/webhooks", "local", "tools"],
  "tools/bench": [
    ...["lib/contract", "lib/aws", "lib/candidates", "lib/webhooks", "infra", "local"],
    ...["tools/costs", "tools", "test"],
  ],
  "tools/mutants": ["tools/simulation", "tools/reliability", "test"],
  "tools/reliability": ["tools/simulation"],
  "tools/schemathesis": ["local", "tools/rehearsal", "tools"],
  "tools/simulation": [
    ...["lib/contract", "lib/aws", "lib/organisations", "lib/candidates", "lib/webhooks", "functions"],
    ...["local", "tools/reliability"],
  ],
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
      .filter((imported) => !allowed.includes(folderOf(imported) ?? ""))
      .map((imported) => `${file} imports ${imported}`);
  });
  expect(breaches).toEqual([]);
});

test("no row names a folder that its files do not import", () => {
  const used = new Set(
    tracked.flatMap((file) =>
      importsOf(file).map((imported) => `${folderOf(file)} imports ${folderOf(imported)}`),
    ),
  );
  const rows = Object.entries(MAY_IMPORT).flatMap(([folder, others]) =>
    others.map((other) => `${folder} imports ${other}`),
  );
  expect(rows.filter((row) => !used.has(row))).toEqual([]);
});
