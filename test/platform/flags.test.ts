import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { withFlags } from "../../platform/flags.ts";
import { addCommands } from "../../platform/run.ts";
import { onPrivateFunctions } from "./running-command.ts";

/** The exports of every `*-commands.ts`: the inputs of the private functions, and what they return. */
const EXPORTS: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ...(await Promise.all(globSync("lib/**/*-commands.ts").map((file) => import(resolve(file))))),
);

const INPUTS = globSync("functions/platform/*.ts").map((file) => {
  const [, name = ""] = /^ +input: (\w+),$/m.exec(readFileSync(file, "utf8")) ?? [];
  return EXPORTS[name];
});

function membersOf(schema: unknown): string[] {
  if (schema instanceof z.ZodMiniObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodMiniUnion || schema instanceof z.ZodMiniDiscriminatedUnion) {
    return schema.def.options.flatMap(membersOf);
  }
  throw new Error("The input of a private function is neither an object nor a union of objects.");
}

const MEMBERS = new Set(INPUTS.flatMap(membersOf));
// `transition` is the name of the command itself, and `dead-letters redrive` names each queue itself.
for (const member of ["transition", "queue"]) MEMBERS.delete(member);

test.each([...MEMBERS])("a message about the member %s names an option of the command", (member) => {
  const program = new Command();
  addCommands(program);
  const options = program.commands
    .flatMap(({ commands }) => commands.flatMap((command) => command.options))
    .map(({ long }) => `${long}: x is expected`);

  expect(options).toContain(withFlags(`${member}: x is expected`));
});

test.each([
  [
    "eventTypes[0]: a is expected; since: b is expected",
    "--types, value 1: a is expected; --since: b is expected",
  ],
  [
    "reasons[1].code: a code is expected; and 3 more",
    "--reason, value 2, code: a code is expected; and 3 more",
  ],
  ["assessment.providerRef: a string is expected", "--file, providerRef: a string is expected"],
  [
    "newOrganisation: the organisation a already exists. Omit newOrganisation to create another key.",
    "--new-organisation: the organisation a already exists. Omit --new-organisation to create another key.",
  ],
])("the message %j becomes %j", (message, shown) => {
  expect(withFlags(message)).toBe(shown);
});

test.each([
  [
    "since: too old; events are kept for 30 days; start with since=2026-10-28T09:00:00.000Z",
    "--since: too old; events are kept for 30 days; start with --since=2026-10-28T09:00:00.000Z",
  ],
  [
    "There is no organisation a. Check its id, or set newOrganisation to create it with its first key.",
    "There is no organisation a. Check its id, or set --new-organisation to create it with its first key.",
  ],
])("a member that the message %j mentions becomes its option", (message, shown) => {
  expect(withFlags(message)).toBe(shown);
});

test.each([
  "No candidate of your organisation has this handle or externalId. Check it.",
  "The recovery rec_1 of this endpoint is running: wait until it ends.",
  "transition: verify is not allowed from the status erased",
  "constructor: no member of this name is expected",
  "There is no organisation a. Check its id.",
])("the message %j stays as it is", (message) => {
  expect(withFlags(message)).toBe(message);
});

const CREATE = ["keys", "create", "--org", "acme", "--name", "sync", "--expires"];
/** Runs `keys create` with an expiry, and returns the `expiresAt` that the private function gets. */
async function expiring(expires: string) {
  let expiresAt: unknown;
  const { code, stderr } = await onPrivateFunctions([...CREATE, expires], (input) => {
    expiresAt = input["expiresAt"];
    return JSON.stringify({ keyId: "key_1", orgId: "acme", name: "sync", createdAt: "", apiKey: "" });
  });
  return { code, stderr, expiresAt };
}

test.each([
  ["2027-01-01", "2027-01-01T00:00:00Z"],
  ["2027-01-01T09:00:00+02:00", "2027-01-01T09:00:00+02:00"],
])("a key may expire at %s", async (expires, expiresAt) => {
  expect(await expiring(expires)).toEqual({ code: 0, stderr: "", expiresAt });
});

test.each(["tomorrow", "2027-02-30", "2027-01-01T09:00", ""])(
  "the expiry %j is refused with both forms that are accepted",
  async (expires) => {
    const { code, stderr, expiresAt } = await expiring(expires);

    expect([code, expiresAt]).toEqual([2, undefined]);
    expect(stderr).toMatch(
      /--expires .+ a date, such as 2027-01-01 \(midnight UTC\), or an RFC 3339 date-time with Z or an offset/,
    );
  },
);
