import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXTENSION_EVENT_TYPES } from "#contract/events";
import type { OperationDefinition } from "#contract/operation-definition";
import { operations as contractOperations } from "#contract/operations";
import { codeSamplesOf, LANGUAGES } from "./code-samples.ts";
import { operations } from "./description.ts";

const samples = operations.flatMap(({ operation }) =>
  codeSamplesOf(operation).map((sample) => ({ operationId: operation.operationId ?? "", ...sample })),
);

// `go` knows no --version, but starts: that is all that counts.
const isHere = (tool: string) => !spawnSync(tool, ["--version"]).error;

function writeSamples(lang: string, ending: string): string {
  const folder = mkdtempSync(join(tmpdir(), "code-samples-"));
  for (const { operationId, source } of samples.filter((sample) => sample.lang === lang)) {
    writeFileSync(join(folder, `${operationId}.${ending}`), `${source}\n`);
  }
  return folder;
}

describe("the reference's code samples", () => {
  test.each(operations)("of $route are in each language", ({ operation }) => {
    expect(codeSamplesOf(operation).map(({ lang }) => lang)).toEqual(LANGUAGES);
  });

  test("name what must be installed", () => {
    for (const { operationId, lang, source } of samples) {
      const installed = [...source.matchAll(/^(?:\/\/ npm|# pip) install (\S+)$/gm)].map(([, name]) => name);
      const imported = {
        shell: [],
        typescript: [...source.matchAll(/ from "@([^"]+)"/g)].map(([, name = ""]) => `./${tarballOf(name)}`),
        python: [...source.matchAll(/^import (?!os$)(\w+)$/gm)].map(([, name]) => name),
        go: [...source.matchAll(/^\t"([\w.]+\.\w+\/[^"]+)"$/gm)].map(([, name]) => name),
      }[lang];
      expect(installed, `${operationId} in ${lang}`).toEqual(imported);
    }
  });

  test.skipIf(!isHere("python3"))("in Python compile", () => {
    execFileSync("python3", ["-m", "compileall", "-q", writeSamples("python", "py")]);
  });

  test.skipIf(!isHere("gofmt"))("in Go have the form of gofmt", () => {
    expect(execFileSync("gofmt", ["-l", writeSamples("go", "go")], { encoding: "utf8" })).toBe("");
  });
});

/** What `npm pack` names a package of a scope. */
function tarballOf(name: string): string {
  const { version } = JSON.parse(readFileSync("client/package.json", "utf8"));
  return `${name.replace("/", "-")}-${version}.tgz`;
}

test("the changelog for integrators has dates, newest first, and names every extension", () => {
  const changelog = readFileSync("docs/guides/changelog.md", "utf8");
  const dates = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);

  for (const date of dates) expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(dates).toEqual(dates.toSorted().reverse());
  const extensions = (contractOperations as readonly OperationDefinition[]).filter(
    ({ extension }) => extension,
  );
  const names = [...extensions.map(({ method, path }) => `${method} ${path}`), ...EXTENSION_EVENT_TYPES];
  expect(
    names.filter((name) => !changelog.includes(`\`${name}\``)),
    "not in docs/guides/changelog.md",
  ).toEqual([]);
});

test("the guides' samples give sed only escapes that macOS has too", () => {
  const texts = readdirSync("docs/guides").filter((name) => name.endsWith(".md"));
  const scripts = texts.flatMap((name) => {
    const text = readFileSync(join("docs/guides", name), "utf8");
    return [...text.matchAll(/\bsed (?:-\w )*'([^']+)'/g)].map(([, script = ""]) => script);
  });

  expect(scripts).not.toEqual([]);
  expect(scripts.filter((script) => /\\[^()1-9.*/]/.test(script))).toEqual([]);
});
