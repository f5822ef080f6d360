import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, expect, test } from "vitest";
import { digestOf, stagedIdOf } from "#candidates/handles";
import { documentClient } from "#runtime/dynamodb";
import { runtime } from "#runtime/runtime";
import { requestErasure } from "../../functions/api/request-erasure.ts";
import { aStoredItem } from "../builders/candidate.ts";
import { capturedLogs } from "../builders/captured-logs.ts";
import { mockedClient } from "../builders/mocked-client.ts";
import { ACME } from "../builders/organisation.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";

const table = mockedClient(DynamoDBDocumentClient);
const logs = capturedLogs();
const externalId = "lovelace@example.com";
const stagedId = stagedIdOf(digestOf(ACME, externalId));

/** What the function returns in an environment with this setting. */
async function requestErasureWith(setting: string, body: object) {
  const variables = { ...runtime.variables, ERASURE_REQUESTS: setting };
  const erase = requestErasure({ ...runtime, documentClient, variables });
  return erase(aProxyEvent({ id: stagedId, body }), aLambdaContext);
}

afterEach(() => void table.reset());

const record = aStoredItem({ externalId, firstName: "Augusta" });

function theCandidateIsStored() {
  table.on(PutCommand).resolves({});
  table.on(GetCommand).resolves({ Item: record });
}

test("an erasure request logs a line like advance-candidate's, without personal data", async () => {
  theCandidateIsStored();

  expect(await requestErasureWith("accepted", { externalId })).toMatchObject({ statusCode: 202, body: "" });

  const line = logs.text();
  expect(JSON.parse(line)).toMatchObject({
    message: "request",
    operationId: "requestErasure",
    outcome: "ok",
    orgId: "acme",
    keyId: "key_test",
    stagedId,
    transition: "erase",
    changed: true,
  });
  expect(line).not.toMatch(/lovelace|augusta/i);
});

test("a refused erasure request logs a line that reports no change", async () => {
  theCandidateIsStored();

  expect(await requestErasureWith("accepted", { externalId: "babbage@example.com" })).toMatchObject({
    statusCode: 400,
  });

  const line = logs.text();
  expect(JSON.parse(line)).toMatchObject({ outcome: "invalid_request", stagedId });
  expect(JSON.parse(line)).not.toHaveProperty("changed");
  expect(line).not.toMatch(/lovelace|augusta|babbage/i);
  expect(table.commandCalls(PutCommand)).toEqual([]);
});

test.each([
  ["was the first attempt of this very request, repeated by the SDK, gets 202", {}, 202],
  ["was another request gets 404", { writeId: "another" }, 404],
])("an erasure request that finds a tombstone which %s", async (_what, ofWhom, expected) => {
  let stored: Record<string, unknown> = record;
  table.on(GetCommand).callsFake(() => ({ Item: stored }));
  table.on(PutCommand).callsFake(({ Item }) => {
    stored = { ...Item, ...ofWhom };
    throw new ConditionalCheckFailedException({
      message: "",
      $metadata: {},
      Item: marshall(stored, { removeUndefinedValues: true }),
    });
  });

  expect((await requestErasureWith("accepted", { externalId })).statusCode).toBe(expected);
});

test("an environment that accepts no erasure requests says who erases, and reads and writes nothing", async () => {
  theCandidateIsStored();

  const { statusCode, body } = await requestErasureWith("refused", { externalId });

  expect(statusCode).toBe(400);
  expect(JSON.parse(body)).toEqual({
    error: "invalid_request",
    message: "This environment accepts no erasure requests. Ask the platform team to erase the candidate.",
  });
  expect(table.calls()).toEqual([]);
});

test.each(["", "ACCEPTED", "true"])(
  "request-erasure does not start with ERASURE_REQUESTS set to %j",
  async (setting) => {
    await expect(requestErasureWith(setting, { externalId })).rejects.toThrow(/ERASURE_REQUESTS/);
  },
);
