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

test("A role that allows what its function does, and no more, is left alone", async () => {
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
])("A call is refused that asks for %s", async (_what, request, told) => {
  const { refused, unused } = await audit([keysOnly, sending], [get, put, send, request]);
  expect(refused).toEqual([expect.stringContaining(told)]);
  expect(unused).toEqual([]);
});

test("A call is refused that another statement denies", async () => {
  const never = Statement.parse({ Effect: "Deny", Action: "sqs:*", Resource: "*" });
  expect(await audit([sending, never], [send])).toEqual({
    refused: [`sqs:SendMessage on ${QUEUE}`],
    unused: [],
  });
});

test("A grant is told that nothing uses, action by action and resource by resource", async () => {
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

test("A grant of a kind of item is unused when only items of another kind are asked for", async () => {
  const { unused } = await audit([keysOnly], [{ ...get, leadingKeys: ["CANDIDATE#…"] }]);
  expect(unused).toHaveLength(2);
});

test.each([
  ["everything but", { Effect: "Allow", NotAction: "sqs:SendMessage", Resource: "*" }],
  ["everywhere but", { Effect: "Allow", Action: "sqs:SendMessage", NotResource: QUEUE }],
])("A statement that grants %s is not taken", (_what, statement) => {
  expect(() => Statement.parse(statement)).toThrow();
});

test("A role that may read some attributes may not read the others, or whole items", async () => {
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
