import { readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { readHandleKeys } from "./handle-keys.ts";
import { foundIn, readPrivateValues } from "./private-values.ts";

const logs = inject("logs");
if (!logs) {
  throw new Error("Nothing was recorded: run the end-to-end tests in the same run, as npm test does.");
}
const privateValues = readPrivateValues(logs.privateValues);
const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");
const handleKeys = readHandleKeys(logs.handleKeys);
const functionLines = linesOf(logs.functions);
const accessLines = linesOf(logs.access);

/** The documentation is read without a key, and its paths refuse other methods without one. */
const PUBLIC_OPERATIONS = ["getDocumentation", "refuseMethod"];
const PUBLIC_RESOURCE = /^\/(?:$|(?:docs|openapi\.json|llms\.txt)\b)/;

/** The functions' log lines with one of these messages. */
function linesWith(...messages: readonly string[]) {
  const message = new RegExp(`^\\{.*"message":"(?:${messages.join("|")})"`);
  return functionLines
    .map((line) => line.slice(line.indexOf("{")))
    .filter((line) => message.test(line))
    .map((line) => JSON.parse(line));
}

function expectMembers(line: object, members: string[]): void {
  expect(Object.keys(line), JSON.stringify(line)).toEqual(expect.arrayContaining(members));
}

test("every request and every delivery logs a line with its organisation and outcome", () => {
  const lines = linesWith("request", "delivery").filter(
    ({ operationId }) => !PUBLIC_OPERATIONS.includes(operationId),
  );

  const ids = {
    request: ["requestId", "keyId", "operationId"],
    delivery: ["eventId", "endpointId", "attempt"],
  };
  expect(lines).not.toEqual([]);
  for (const line of lines)
    expectMembers(line, ["orgId", "outcome", ...ids[line.message as keyof typeof ids]]);
});

test("every command of the platform logs what it was about", () => {
  const lines = linesWith("invocation").filter(({ outcome }) => outcome === "ok");
  const logged = Object.groupBy(lines, (line) => line.function_name.replace(/^CandidateService-\w+-/, ""));

  const expected = {
    "advance-candidate": ["orgId", "stagedId", "transition", "changed"],
    "inspect-candidate": ["orgId", "stagedId"],
    "inspect-deliveries": ["orgId", "endpointId", "listed"],
    "inspect-recovery": ["orgId", "endpointId", "recoveryId"],
    "issue-api-key": ["orgId", "keyId"],
    "list-api-keys": ["orgId", "listed"],
    "list-dead-letters": ["listed"],
    "recover-deliveries": ["orgId", "endpointId"],
    "redeliver-event": ["orgId", "endpointId", "eventId"],
    "redrive-dead-letters": ["queue", "redriven", "left"],
    "reseal-signing-secrets": ["resealed", "unopened"],
    "revoke-api-key": ["orgId", "keyId"],
    "rotate-keyring": ["sealingKeyId"],
  };
  expect(Object.keys(logged).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, keys] of Object.entries(expected)) {
    for (const line of logged[name] ?? []) expectMembers(line, keys);
  }
});

test("every authorized request is in the access log with its organisation", () => {
  const authorized = accessLines
    .map((line) => JSON.parse(line))
    .filter(({ status, resource }) => status.startsWith("2") && !PUBLIC_RESOURCE.test(resource));
  expect(authorized).not.toEqual([]);
  for (const line of authorized) {
    for (const name of ["requestId", "orgId", "keyId", "resource", "durationMs"]) {
      expect(line[name], JSON.stringify(line)).toMatch(/^(?!-$)./);
    }
  }
});

test.each([
  ["functions", functionLines],
  ["the API's access log", accessLines],
])(
  "no line of %s contains a value that an end-to-end test sent, an API key or a signing secret",
  (_log, lines) => {
    expect(lines.length).toBeGreaterThan(1);
    // Of a builder's body: a search for nothing finds nothing.
    expect(privateValues).toContain("Adelaide");
    const found = foundIn(lines.join("\n"), privateValues);
    expect(
      found.map((value) => [value, lines.find((line) => foundIn(line, [value]).length > 0)]),
      "Take the value out of the log. A word that stands there anyway is no value for an end-to-end test to send.",
    ).toEqual([]);
  },
);

test.each([
  ["line of functions", functionLines],
  ["line of the API's access log", accessLines],
  ["response of a function and no output of the platform's command", linesOf(logs.outputs)],
])("no %s contains an organisation's handle key", (_what, lines) => {
  expect(lines.length).toBeGreaterThan(1);
  expect(handleKeys.length).toBeGreaterThan(1);
  expect(foundIn(lines.join("\n"), handleKeys)).toEqual([]);
});
