import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, matchesGlob } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { BATCH_SIZE, mostBatches } from "../../infra/delivery-limits.ts";
import { environments } from "../../infra/environments.ts";
import { addCommands } from "../../platform/run.ts";

const runbook = readFileSync("docs/operations.md", "utf8");

/** The lines of the runbook's code blocks. */
const commands = [...runbook.matchAll(/^ *```\n(.*?)^ *```$/gms)].flatMap(([, block = ""]) =>
  block
    .split("\n")
    .map((line) => line.replace(/ +#.*/, "").trim())
    .filter(Boolean),
);

function beginningWith(beginning: string): string[] {
  const found = commands.filter((line) => line.startsWith(beginning));
  expect(found).not.toEqual([]);
  return found;
}

function platform(): Command {
  const program = new Command();
  addCommands(program);
  return program;
}

test.each(beginningWith("npm run platform"))("the runbook's command works: %s", (line) => {
  const [, environment, group, name, options = ""] =
    /^npm run platform -- --environment (\S+) (\S+) (\S+)(.*)$/.exec(line) ?? [];
  expect(environments.map((settings) => settings.name)).toContain(environment);
  const command = platform()
    .commands.find((each) => each.name() === group)
    ?.commands.find((each) => each.name() === name);
  expect(command, `${group} ${name}`).toBeDefined();
  const given = options.match(/--[a-z-]+/g) ?? [];
  expect(command?.options.map(({ long }) => long)).toEqual(expect.arrayContaining(given));
  const needed = command?.options.filter(({ mandatory }) => mandatory).map(({ long }) => long);
  expect(given).toEqual(expect.arrayContaining(needed ?? []));
});

test("the runbook names every message that the functions log", () => {
  const sources = globSync("{lib,functions}/**/*.ts").map((file) => readFileSync(file, "utf8"));
  const messages = sources.flatMap((source) =>
    [...source.matchAll(/\b(?:logger\.\w+|orLogged|failed)\((?:[^"`;]*, )?\s*"([^"]+)"/g)].map(
      ([, message = ""]) => message.replace(/^.* (?=not recorded$)/, ""),
    ),
  );
  expect(messages).toEqual(expect.arrayContaining(["delivery failed", "not recorded", "endpoints not read"]));
  expect(messages.filter((message) => !new RegExp(`\\b${message}[\`"]`).test(runbook))).toEqual([]);
});

test("the README lists every command of the platform team, with all its options", () => {
  const lines = readFileSync("README.md", "utf8").match(/^npm run platform -- .*$/gm) ?? [];
  for (const group of platform().commands) {
    for (const command of group.commands) {
      const pattern = new RegExp(
        `^npm run platform -- ${group.name()} (?:\\S+\\|)?${command.name()}(?:\\|\\S+)?(?: |$)`,
      );
      const options = command.options.map(({ long }) => long ?? "");
      const listed = lines.filter((line) => pattern.test(line)).join("\n");
      expect(listed, `${group.name()} ${command.name()}`).not.toBe("");
      for (const option of options) expect(listed).toContain(option);
    }
  }
});

test("the runbook's access policy allows every private function, and nothing else", () => {
  const patterns = [...runbook.matchAll(/:function:CandidateService-production-([\w*-]+)"/g)].map(
    ([, pattern = ""]) => pattern,
  );
  const namesIn = (files: string) => globSync(files).map((file) => basename(file, ".ts"));
  const allowed = namesIn("functions/*/*.ts").filter((name) =>
    patterns.some((pattern) => matchesGlob(name, pattern)),
  );

  expect(allowed.sort()).toEqual(namesIn("functions/platform/*.ts").sort());
  expect(patterns.filter((pattern) => !allowed.some((name) => matchesGlob(name, pattern)))).toEqual([]);
});

test("the commands invoke exactly the private functions that exist", () => {
  const invoked = globSync("platform/*.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\binvoke\(\s*command,\s*"([\w-]+)"/g)].map(([, name]) => name),
  );

  expect(invoked.sort()).toEqual(
    globSync("functions/platform/*.ts")
      .map((file) => basename(file, ".ts"))
      .sort(),
  );
});

test("the runbook's table of limits has production's reserved executions, and the deliveries that they process", () => {
  const production = environments.find(({ name }) => name === "production");
  if (!production) throw new Error("The app has a production environment.");
  const reserved = Object.values(production.concurrency?.reserved ?? {});
  const { deliveryConcurrency, sideConcurrency, retryConcurrency } = production.webhooks;
  const batches = [deliveryConcurrency, sideConcurrency, retryConcurrency]
    .map(mostBatches)
    .reduce((sum, each) => sum + each);

  expect(runbook).toContain(
    `\`concurrency\`: ${reserved.reduce((sum, each) => sum + each)} of them reserved`,
  );
  expect(runbook).toContain(`${(batches * BATCH_SIZE).toLocaleString("en")} in flight`);
});

test("the runbook names exactly the existing stacks", () => {
  const named = new Set(runbook.match(/CandidateService-[a-z]+/g));
  expect([...named].sort()).toEqual(environments.map(({ name }) => `CandidateService-${name}`).sort());
});

test("every npm script that the runbook names exists", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const [, script = ""] of runbook.matchAll(/npm run ([\w:-]+)/g)) {
    expect(Object.keys(scripts)).toContain(script);
  }
});

test("every link of the runbook has an existing target", () => {
  const headings = new Set(
    [...runbook.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-"),
    ),
  );
  for (const [, target = ""] of runbook.matchAll(/\]\(([^)]+)\)/g)) {
    const [file = "", anchor] = target.split("#");
    if (file) expect(existsSync(join("docs", file)), target).toBe(true);
    else expect([...headings], target).toContain(anchor);
  }
});

// DescribeStackResources returns the first 100 resources of a stack (AWS CloudFormation API reference).
test.each(globSync("docs/**/*.md"))("%s looks up no resources with describe-stack-resources", (file) => {
  expect(readFileSync(file, "utf8")).not.toContain("describe-stack-resources");
});

describe("the runbook's deletion of the table before a restore", () => {
  const steps = runbook.slice(runbook.indexOf("9. **Delete the previous table**"));
  const [, block = ""] = /^ *```\n(.*?)^ *```$/ms.exec(steps) ?? [];

  /** The requests of the step's commands, if `aws cloudformation list-stack-resources` does this. */
  function requestsIf({ listing, before }: { readonly listing: string; readonly before: string }): string[] {
    const folder = mkdtempSync(join(tmpdir(), "runbook-"));
    const log = join(folder, "requests");
    const aws = `#!/bin/sh\necho "$1 $2" >> "${log}"\nif [ "$1" = cloudformation ]; then ${listing}; fi\n`;
    writeFileSync(join(folder, "aws"), aws, { mode: 0o755 });
    const script = block.replace("<the table before>", before);
    expect(script).not.toContain("<");
    spawnSync("bash", ["-c", script], { env: { PATH: `${folder}:${process.env["PATH"]}` } });
    return readFileSync(log, "utf8").trim().split("\n");
  }

  test("deletes a table that the stack does not use", () => {
    expect(requestsIf({ listing: "echo service-restored-1", before: "service-Table-1" })).toEqual([
      "cloudformation list-stack-resources",
      "dynamodb update-table",
      "dynamodb wait",
      "dynamodb delete-table",
    ]);
  });

  test.each([
    ["the stack uses the table", { listing: "echo service-Table-1", before: "service-Table-1" }],
    ["the list has no table", { listing: "true", before: "service-Table-1" }],
    ["the list fails", { listing: "echo service-restored-1; exit 1", before: "service-Table-1" }],
  ])("deletes nothing if %s", (_, situation) => {
    expect(requestsIf(situation)).toEqual(["cloudformation list-stack-resources"]);
  });
});
