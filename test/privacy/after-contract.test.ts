import { readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { foundIn, readPrivateValues } from "./private-values.ts";

const logs = inject("logs");
if (!logs) {
  throw new Error("Nothing was recorded: run the contract tests in the same run, as npm test does.");
}
const values = readPrivateValues(logs.privateValues);
const log = readFileSync(logs.functionLog, "utf8");

test("every request and every delivery leaves a line that tells whose it was and how it ended", () => {
  const lines = log
    .split("\n")
    .map((line) => line.slice(line.indexOf("{")))
    .filter((line) => /^\{.*"message":"(?:request|delivery)"/.test(line))
    .map((line) => JSON.parse(line));

  const ids = {
    request: ["requestId", "keyId", "operationId"],
    delivery: ["eventId", "endpointId", "attempt"],
  };
  expect(lines).not.toEqual([]);
  for (const line of lines) {
    const expected = ["orgId", "outcome", ...ids[line.message as keyof typeof ids]];
    expect(Object.keys(line), JSON.stringify(line)).toEqual(expect.arrayContaining(expected));
  }
});

test("no log line holds a value that a contract test sent, an API key or a signing secret", () => {
  const found = foundIn(log, values);
  const lines = found.map((value) => [
    value,
    log.split("\n").find((line) => foundIn(line, [value]).length > 0),
  ]);
  expect(lines).toEqual([]);
});
