import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { NotFound, ServiceUnavailable } from "#contract/errors";
import { logger } from "#runtime/logger";
import { privateFunction } from "#runtime/private-function";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aLambdaContext } from "../builders/proxy-event.ts";

const logs = capturedLogs();

async function logged(thrown: Error) {
  const handler = privateFunction({
    input: z.object({}),
    loggedInput: [],
    run: async () => {
      throw thrown;
    },
  });
  await expect(handler({}, aLambdaContext)).rejects.toBe(thrown);
  return logs.lines().map((line) => JSON.parse(line));
}

test.each([
  ["of AWS", new Error("reset"), { message: "reset" }],
  ["that is reported as a 503", new ServiceUnavailable({ cause: new Error("reset") }), { message: "reset" }],
  ["without a cause", new ServiceUnavailable(), { name: "service_unavailable" }],
])("a fault %s in a private function is an ERROR with its cause", async (_which, fault, cause) => {
  expect(await logged(fault)).toMatchObject([
    { level: "ERROR", message: "invocation failed", cause },
    { level: "INFO", message: "invocation", outcome: fault.name },
  ]);
});

test("the log lines of an invocation have none of the keys of the one before", async () => {
  const handler = privateFunction({
    input: z.object({ orgId: z.string() }),
    loggedInput: ["orgId"],
    run: async () => logger.appendKeys({ stagedId: "staged_1" }),
  });

  await handler({ orgId: "acme" }, aLambdaContext);
  await expect(handler({}, aLambdaContext)).rejects.toThrow();

  const [first, second] = logs.lines().map((line) => JSON.parse(line));
  expect(first).toMatchObject({ orgId: "acme", stagedId: "staged_1", outcome: "ok" });
  expect(Object.keys(second)).not.toContain("orgId");
  expect(Object.keys(second)).not.toContain("stagedId");
});

test("a refusal of a private function is no ERROR", async () => {
  expect(await logged(new NotFound("There is no such candidate."))).toMatchObject([
    { level: "INFO", message: "invocation", outcome: "not_found" },
  ]);
});

test("an invocation logs the members of input and output that it names, and no others", async () => {
  const handler = privateFunction({
    input: z.object({ orgId: z.string(), name: z.string(), since: z.optional(z.string()) }),
    loggedInput: ["orgId", "since"],
    run: async ({ name }) => ({ keyId: "key_1", apiKey: `secret of ${name}` }),
    loggedOutput: ({ keyId }) => ({ keyId }),
  });

  const clock = vi.spyOn(performance, "now").mockReturnValueOnce(5_000).mockReturnValueOnce(5_012.4);
  onTestFinished(() => clock.mockRestore());
  await handler({ orgId: "acme", name: "Ada" }, aLambdaContext);

  expect(JSON.parse(logs.text())).toMatchObject({
    message: "invocation",
    orgId: "acme",
    keyId: "key_1",
    durationMs: 12,
  });
  expect(logs.text()).not.toMatch(/Ada|since/);
});

test("an invocation that is refused logs what it was about", async () => {
  const handler = privateFunction({
    input: z.object({ keyId: z.string() }),
    loggedInput: ["keyId"],
    run: async () => {
      throw new NotFound("No key has this id.");
    },
  });

  await expect(handler({ keyId: "key_1" }, aLambdaContext)).rejects.toThrow();

  expect(JSON.parse(logs.text())).toMatchObject({ outcome: "not_found", keyId: "key_1" });
});

test("a fault that quotes stored text is neither logged nor thrown with it", async () => {
  const handler = privateFunction({
    input: z.object({}),
    loggedInput: [],
    run: async () => JSON.parse("ada@example.com"),
  });

  await expect(handler({}, aLambdaContext)).rejects.toThrow("Stored text is not JSON.");
  expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
    { level: "ERROR", message: "invocation failed", cause: { name: "SyntaxError" } },
    { level: "INFO", message: "invocation", outcome: "SyntaxError" },
  ]);
  expect(logs.text()).not.toContain("ada@");
});
