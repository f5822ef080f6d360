import { expect, test } from "vitest";
import { audit, Statement } from "./audit.ts";

const TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/candidates";
const QUEUE = "arn:aws:sqs:us-east-1:000000000000:deliveries";

const keysOnly = Statement.parse({
  Effect: "Allow",
  Action: ["dynamodb:GetItem", "dynamodb:PutItem"],
  Resource: TABLE,
  Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["KEY#*"] } },
});
const sending = Statement.parse({ Effect: "Allow", Action: "sqs:SendMessage", Resource: QUEUE });

const get = { action: "dynamodb:GetItem", resource: TABLE, leadingKeys: ["KEY#…"] };
const put = { action: "dynamodb:PutItem", resource: TABLE, leadingKeys: ["KEY#…"] };
const send = { action: "sqs:SendMessage", resource: QUEUE };

test("The role audit reports nothing for a role that allows exactly what its function does", async () => {
  expect(await audit([keysOnly, sending], [get, put, send])).toEqual({ refused: [], unused: [] });
});

test.each([
  ["an action that no statement names", { ...get, action: "dynamodb:DeleteItem" }, "dynamodb:DeleteItem on "],
  ["another table", { ...get, resource: `${TABLE}-2` }, "table/candidates-2 for KEY#…"],
  [
    "an index of the table",
    { ...get, action: "dynamodb:Query", resource: `${TABLE}/index/byName` },
    "byName",
  ],
  ["items of another kind", { ...get, leadingKeys: ["CANDIDATE#…"] }, "for CANDIDATE#…"],
  ["items of two kinds of which one is another", { ...put, leadingKeys: ["KEY#…", "ENDPOINT#…"] }, "KEY#…, "],
  ["another queue", { ...send, resource: `${QUEUE}-dead` }, "sqs:SendMessage on "],
  ["an action that does not exist", { ...send, action: "sqs:SendMessages" }, "sqs:SendMessages on "],
  ["what nobody can read", { ...send, resource: "unreadable" }, "on unreadable"],
])("The role audit reports a refused request for %s", async (_what, request, told) => {
  const { refused, unused } = await audit([keysOnly, sending], [get, put, send, request]);
  expect(refused).toEqual([expect.stringContaining(told)]);
  expect(unused).toEqual([]);
});

test("The role audit reports a request that another statement denies", async () => {
  const never = Statement.parse({ Effect: "Deny", Action: "sqs:*", Resource: "*" });
  expect(await audit([sending, never], [send])).toEqual({
    refused: [`sqs:SendMessage on ${QUEUE}`],
    unused: [],
  });
});

test("The role audit reports unused grants by action and resource", async () => {
  const generous = Statement.parse({
    Effect: "Allow",
    Action: ["sqs:SendMessage", "sqs:DeleteMessage"],
    Resource: [QUEUE, `${QUEUE}-dead`],
  });
  expect(await audit([keysOnly, generous], [get, send])).toEqual({
    refused: [],
    unused: [
      expect.stringMatching(/^dynamodb:PutItem on .*candidates if .*KEY#\*/),
      `sqs:SendMessage on ${QUEUE}-dead`,
      `sqs:DeleteMessage on ${QUEUE}`,
      `sqs:DeleteMessage on ${QUEUE}-dead`,
    ],
  });
});

test("The role audit reports a grant for a kind of item that is never requested", async () => {
  const { unused } = await audit([keysOnly], [{ ...get, leadingKeys: ["CANDIDATE#…"] }]);
  expect(unused).toHaveLength(2);
});

test("The role audit reports an unused kind of item of a statement that allows several", async () => {
  const both = Statement.parse({
    ...keysOnly,
    Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["ENDPOINT#*", "KEY#*"] } },
  });
  const putBoth = { ...put, leadingKeys: ["KEY#…", "ENDPOINT#…"] };

  expect(await audit([both], [get, put, putBoth])).toEqual({
    refused: [],
    unused: [
      expect.stringMatching(/^dynamodb:GetItem on .* if .*"ENDPOINT#\*"/),
      expect.stringMatching(/^dynamodb:PutItem on .* if .*"ENDPOINT#\*"/),
    ],
  });
});

test.each([
  ["everything but", { Effect: "Allow", NotAction: "sqs:SendMessage", Resource: "*" }],
  ["everywhere but", { Effect: "Allow", Action: "sqs:SendMessage", NotResource: QUEUE }],
])("The role audit does not accept a statement that grants %s", (_what, statement) => {
  expect(() => Statement.parse(statement)).toThrow();
});

test("The role audit reports a read of attributes or whole items beyond the granted attributes", async () => {
  const some = Statement.parse({
    ...keysOnly,
    Action: "dynamodb:GetItem",
    Condition: {
      ...keysOnly.Condition,
      "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "status"] },
      StringEqualsIfExists: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
    },
  });
  const allowed = { ...get, attributes: ["pk", "sk", "status"] };
  const other = { ...get, attributes: ["pk", "sk", "email"] };

  expect(await audit([some], [allowed, other, get])).toEqual({
    refused: [expect.stringMatching(/ of pk, sk, email$/), expect.stringMatching(/ for KEY#…$/)],
    unused: [],
  });
});
