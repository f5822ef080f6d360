import { expect, test } from "vitest";
import { parsePattern } from "../../../local/event-sources/record-filter.ts";

test.each([
  [{ eventName: ["INSERT", "MODIFY"] }, true],
  [{ eventName: ["REMOVE"] }, false],
  [{ dynamodb: { NewImage: { event: { M: { id: { S: [{ exists: true }] } } } } } }, true],
  [{ dynamodb: { NewImage: { event: { M: { id: { S: [{ exists: false }] } } } } } }, false],
  // A map is no leaf.
  [{ dynamodb: { NewImage: { event: { M: [{ exists: true }] } } } }, false],
  [{ dynamodb: { NewImage: { event: { M: [{ exists: false }] } } } }, true],
  [{ dynamodb: { OldImage: { event: [{ exists: false }] } } }, true],
  [{ dynamodb: { Keys: { pk: { S: [{ prefix: "CANDIDATE#" }] } } } }, true],
  [{ dynamodb: { Keys: { pk: { S: [{ prefix: "KEY#" }] } } } }, false],
  [{ eventName: [{ "anything-but": "REMOVE" }] }, true],
  [{ eventName: [{ "anything-but": ["REMOVE", "INSERT"] }] }, false],
  // A value that is absent matches no operator but `exists`.
  [{ absent: [{ "anything-but": "REMOVE" }] }, false],
])("The event filter pattern %j passes the record: %s", (pattern, passes) => {
  const record = {
    eventName: "INSERT",
    dynamodb: { Keys: { pk: { S: "CANDIDATE#1" } }, NewImage: { event: { M: { id: { S: "evt" } } } } },
  };
  expect(parsePattern([JSON.stringify(pattern)])(record)).toBe(passes);
});

test.each([
  [[], true],
  [["REMOVE", "INSERT"], true],
  [["REMOVE", "MODIFY"], false],
])("The event filter patterns of %j pass a record of INSERT: %s", (eventNames, passes) => {
  const patterns = eventNames.map((eventName) => JSON.stringify({ eventName: [eventName] }));
  expect(parsePattern(patterns)({ eventName: "INSERT" })).toBe(passes);
});

test.each([
  [{ a: [{ numeric: [">", 1] }] }, /filter pattern \{"numeric"/],
  [{ a: [{ prefix: { "equals-ignore-case": "x" } }] }, /filter pattern \{"prefix"/],
  [{ a: [{ "anything-but": { prefix: "x" } }] }, /filter pattern \{"anything-but"/],
  [{ $or: [{ a: ["x"] }, { b: ["x"] }] }, /filter pattern \{"\$or"/],
])("The event filter pattern %j is refused, because it has an unknown operator", (pattern, message) => {
  expect(() => parsePattern([JSON.stringify(pattern)])).toThrow(message);
});
