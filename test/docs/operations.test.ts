import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { environments } from "../../infra/environments.ts";
import { addCandidateCommands } from "../../platform/candidates.ts";
import { addDeadLetterCommands } from "../../platform/dead-letters.ts";
import { addDeliveryCommands } from "../../platform/deliveries.ts";
import { addKeyringCommands } from "../../platform/keyring.ts";
import { addKeyCommands } from "../../platform/keys.ts";

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
  for (const add of [
    addCandidateCommands,
    addDeadLetterCommands,
    addDeliveryCommands,
    addKeyCommands,
    addKeyringCommands,
  ]) {
    add(program);
  }
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
