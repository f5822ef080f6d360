import { readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

const RULES = ["lib/contract", "lib/runtime", "lib/candidates"];
const STORE = ["lib/candidates/store", "lib/candidates/store/*"];
const EVENTS = ["lib/contract", "lib/runtime", "lib/candidates/outbox"];
const DELIVERY = [...EVENTS, "lib/webhooks/endpoints", "lib/webhooks/feed"];

/** Who may import whom, types included: each folder its own files and those of the folders in its row. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "lib/contract": [],
  "lib/runtime": ["lib/contract"],
  "lib/api-keys": ["lib/contract", "lib/runtime"],
  "lib/candidates": ["lib/contract"],
  "lib/candidates/store/item": ["lib/contract", "lib/candidates"],
  "lib/candidates/store/write": [...RULES, "lib/candidates/store/item"],
  "lib/candidates/store/large": [...RULES, "lib/candidates/store/item", "lib/candidates/store/write"],
  "lib/candidates/store": [...RULES, "lib/candidates/store/*"],
  "lib/candidates/outbox": [...RULES, "lib/candidates/store/item", "lib/candidates/store/large"],
  "lib/webhooks/endpoints": ["lib/contract", "lib/runtime"],
  "lib/webhooks/feed": EVENTS,
  "lib/webhooks/delivery": DELIVERY,
  "lib/webhooks/recoveries": [...DELIVERY, "lib/webhooks/delivery"],
  "lib/webhooks/dead-letters": [...EVENTS, "lib/webhooks/*"],
  functions: ["lib/*"],
  infra: [...DELIVERY, "lib/webhooks/delivery", "lib/api-keys", ...STORE, "infra/site"],
  "infra/lambda-runtime": [],
  "infra/site": [],
  "client/src": [],
  "client/command": ["lib/contract", "client", "client/listen", "client/push", "client/terminal"],
  "client/listen": [
    "lib/contract",
    "lib/webhooks/delivery",
    "lib/webhooks/endpoints",
    "client/src",
    "client/terminal",
  ],
  "client/push": ["lib/contract", "client/src", "client/terminal"],
  "client/terminal": ["client/src"],
  "client/bin": [],
  client: ["lib/contract", "tools/openapi"],
  platform: [
    "client/terminal",
    "lib/api-keys",
    "lib/candidates",
    "lib/contract",
    "lib/runtime",
    "lib/webhooks/*",
  ],
  docs: [],
  "tools/openapi": ["lib/contract"],
  "tools/costs": ["infra"],
  "tools/rehearsal": ["local/machine", "local/service", "tools"],
  "tools/bench": ["lib/*", "infra", "local/service", "tools/costs", "tools", "test"],
  "tools/mutants": ["local/machine", "tools/simulation", "tools/reliability", "test"],
  "tools/reliability": ["local/machine", "tools/simulation", "tools"],
  "tools/schemathesis": ["local/machine", "local/service", "tools/reliability", "tools"],
  "tools/simulation": ["lib/*", "functions", "local", "local/*"],
  tools: ["local/machine", "local/service"],
  ...withinLocal(),
};

/** The rows of the local stack, a package of its own: only its console and its service may know the project. */
function withinLocal(): Readonly<Record<string, readonly string[]>> {
  const basis = ["local/machine", "local/template.ts"];
  return {
    "local/machine": [],
    "local/template.ts": ["local/machine"],
    "local/lambda": [],
    "local/dynamodb": basis,
    "local/sqs": basis,
    "local/api-gateway": [...basis, "local/lambda"],
    "local/event-sources": [...basis, "local/lambda", "local/sqs"],
    local: [
      ...basis,
      "local/api-gateway",
      "local/dynamodb",
      "local/event-sources",
      "local/lambda",
      "local/sqs",
    ],
    "local/console": ["lib/*", "client/src", "local", "local/event-sources", "local/lambda", "local/machine"],
    "local/console/page": ["lib/contract", "local/console"],
    "local/service": [
      "client/terminal",
      "local",
      "local/api-gateway",
      "local/console",
      "local/lambda",
      "local/machine",
    ],
  };
}

/** Tests import what they test. */
const ANYTHING = "test";

/** What runs elsewhere than on a developer's machine: in Lambda, at a partner, at the platform team. */
const SHIPPED = [
  "client/bin/",
  "client/command/",
  "client/listen/",
  "client/push/",
  "client/src/",
  "client/terminal/",
  "functions/",
  "infra/lambda-runtime/",
  "lib/",
  "platform/",
];

const files = sourceFiles("**/*.{ts,tsx,mts,js,mjs}");
const { imports, dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const aliases: [string, string][] = Object.entries(imports);

/** The row of the table that a file is in: the longest one. */
function folderOf(file: string): string | undefined {
  const folders = [...Object.keys(MAY_IMPORT), ANYTHING].filter((folder) =>
    `${file}/`.startsWith(`${folder}/`),
  );
  return folders.toSorted((left, right) => right.length - left.length)[0];
}

/** Whether an entry of a row is the folder, or `/*` of one that it is in. */
function holds(entry: string, folder: string): boolean {
  return entry.endsWith("/*") ? folder.startsWith(entry.slice(0, -1)) : folder === entry;
}

/** The folders that a folder may import, those that these may import, and so on. */
function reachableFrom(folder: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [folder];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const to of Object.keys(MAY_IMPORT)) {
      const isAllowed = to !== from && MAY_IMPORT[from]?.some((entry) => holds(entry, to));
      if (!isAllowed || reached.has(to)) continue;
      reached.add(to);
      waiting.push(to);
    }
  }
  return reached;
}

/** The files of the project that each file imports, or takes a type from. */
const graph: ReadonlyMap<string, readonly string[]> = new Map(files.map((file) => [file, importsIn(file)]));

function importsOf(file: string): readonly string[] {
  return graph.get(file) ?? [];
}

function importsIn(file: string): string[] {
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
    if (name.startsWith(".")) {
      const path = join(file, "..", name);
      return name.includes("${") || path.startsWith("node_modules/") ? [] : path;
    }
    const [alias, target] = aliases.find(([each]) => name.startsWith(each.replace("*", ""))) ?? [];
    return alias && target ? join(target.replace("*", name.slice(alias.length - 1))) : [];
  });
}

/** Every file that a file imports, those of its imports included. */
function reachedFrom(file: string): Set<string> {
  const reached = new Set<string>();
  const waiting = [...importsOf(file)];
  for (const next of waiting) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...importsOf(next));
  }
  return reached;
}

/** The packages whose code a file runs: type imports are gone by then. */
function packagesOf(file: string): string[] {
  const { staticImports } = parseSync(file, readFileSync(file, "utf8")).module;
  return staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .flatMap(({ moduleRequest }) => /^(?!node:)(?:@[\w-]+\/)?\w[^/]*/.exec(moduleRequest.value) ?? []);
}

test("every source file is in a folder of the import table", () => {
  expect(files.filter((file) => file.includes("/") && folderOf(file) === undefined)).toEqual([]);
});

test("no folder imports a folder outside its row of the import table", () => {
  const breaches = files.flatMap((file) => {
    const folder = folderOf(file);
    if (folder === undefined || folder === ANYTHING) return [];
    const allowed = [folder, ...(MAY_IMPORT[folder] ?? [])];
    return importsOf(file)
      .filter((imported) => !allowed.some((entry) => holds(entry, folderOf(imported) ?? "")))
      .map((imported) => `${file} imports ${imported}`);
  });
  expect(breaches).toEqual([]);
});

test("code outside local and test imports from local exactly what its package exports", () => {
  const { exports } = JSON.parse(readFileSync("local/package.json", "utf8"));
  const exported = new Set(Object.values<string>(exports).map((path) => join("local", path)));
  const isOutside = (file: string) => !file.startsWith("local/") && folderOf(file) !== ANYTHING;
  const imported = new Set(
    files.filter(isOutside).flatMap((file) => importsOf(file).filter((each) => each.startsWith("local/"))),
  );
  expect([...imported].sort()).toEqual([...exported].sort());
});

test("no import cycle exists between modules, types included", () => {
  expect(files.filter((file) => reachedFrom(file).has(file))).toEqual([]);
});

test("shipped code imports packages from dependencies, not from devDependencies", () => {
  const shipped = files.filter((file) => SHIPPED.some((folder) => file.startsWith(folder)));
  const undeclared = shipped.flatMap((file) =>
    packagesOf(file)
      .filter((name) => !(name in dependencies))
      .map((name) => `${file} imports ${name}`),
  );
  expect(undeclared).toEqual([]);
});

test("no row of the import table lists a folder that its files do not import", () => {
  const used = files.flatMap((file) =>
    importsOf(file).map((imported) => [folderOf(file) ?? "", folderOf(imported) ?? ""] as const),
  );
  const unused = Object.entries(MAY_IMPORT).flatMap(([folder, entries]) =>
    entries
      .filter((entry) => !used.some(([from, to]) => from === folder && holds(entry, to)))
      .map((entry) => `${folder} imports ${entry}`),
  );
  expect(unused).toEqual([]);
});

test("the import table allows no cycle between folders", () => {
  const folders = Object.keys(MAY_IMPORT);
  expect(folders.filter((folder) => reachableFrom(folder).has(folder))).toEqual([]);
});
