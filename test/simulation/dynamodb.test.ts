import { marshall } from "@aws-sdk/util-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { BEGINNING, SimulatedStore } from "./simulated-store.ts";

const TableName = serviceTable.name;
const Key = { pk: { S: "p" }, sk: { S: "s" } };

let store: SimulatedStore;
const table = () => store.table;
beforeEach(() => {
  store = new SimulatedStore({ ...serviceTable, stream: "NEW_AND_OLD_IMAGES" });
});

const put = (attributes: object, members: object = {}) =>
  table().handle("PutItem", { TableName, Item: { ...Key, ...attributes }, ...members });
const update = (UpdateExpression: string, values?: object, members: object = {}) =>
  table().handle("UpdateItem", {
    TableName,
    Key,
    UpdateExpression,
    ...(values && { ExpressionAttributeValues: values }),
    ReturnValues: "ALL_NEW",
    ...members,
  }) as { Attributes: Record<string, object> };
const get = (members: object = { ConsistentRead: true }) =>
  (table().handle("GetItem", { TableName, Key, ...members }) as { Item?: Record<string, object> }).Item;
const query = (members: object) =>
  table().handle("Query", { TableName, ConsistentRead: true, ...members }) as {
    Items: Record<string, object>[];
    Count: number;
    ScannedCount: number;
    LastEvaluatedKey?: object;
  };
const records = () => table().shards.flatMap((shard) => shard.read(0));

function errorOf(request: () => unknown): { name: string; message: string; [member: string]: unknown } {
  try {
    request();
  } catch (error) {
    return error as ReturnType<typeof errorOf>;
  }
  throw new Error("The request was to fail.");
}

describe("the simulated DynamoDB: a number", () => {
  test.each([
    ["1.50", "1.5"],
    ["+5", "5"],
    ["007", "7"],
    ["-0", "0"],
    ["1e3", "1000"],
    ["12.5e-3", "0.0125"],
    ["99999999999999999999999999999999999999", "99999999999999999999999999999999999999"],
    ["0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"],
    ["1e125", `1${"0".repeat(125)}`],
    ["1e-130", `0.${"0".repeat(129)}1`],
  ])("%s is stored as %s", (sent, kept) => {
    put({ n: { N: sent } });

    expect(get()?.["n"]).toEqual({ N: kept });
  });

  test.each([
    ["more than 38 digits", "123456789012345678901234567890123456789"],
    ["too large a magnitude", "1e126"],
    ["too small a magnitude", "1e-131"],
    ["a word", "abc"],
    ["nothing", ""],
    ["a space", " 5"],
  ])("with %s is refused", (_, N) => {
    expect(errorOf(() => put({ n: { N } })).name).toBe("ValidationException");
  });

  test("is added exactly, or not at all", () => {
    put({ n: { N: "99999999999999999999999999999999999998" } });

    expect(update("ADD n :one", { ":one": { N: "1" } }).Attributes["n"]).toEqual({
      N: "99999999999999999999999999999999999999",
    });
    expect(errorOf(() => update("ADD n :half", { ":half": { N: "0.5" } })).message).toMatch("38");
  });

  test("equals the same value in another notation", () => {
    put({ n: { N: "100" } });

    update(
      "SET hit = :one",
      { ":one": { BOOL: true }, ":n": { N: "1.00e2" } },
      { ConditionExpression: "n = :n" },
    );

    expect(get()?.["hit"]).toEqual({ BOOL: true });
  });
});

describe("the simulated DynamoDB: the size of an item", () => {
  /** Keys, the attribute "x" and its text, and one more attribute "n". */
  const rest = (size: number) => ({
    x: { S: "x".repeat(400 * 1024 - "pkpsks".length - "xn".length - size) },
  });

  test.each([
    ["a number of one digit", { N: "7" }, 2],
    ["a number of five digits", { N: "12345" }, 4],
    ["trailing zeros of a number", { N: "700" }, 2],
    ["a negative number", { N: "-12" }, 3],
    ["a Boolean", { BOOL: true }, 1],
    ["null", { NULL: true }, 1],
    ["text in UTF-8", { S: "é😀" }, 6],
    ["binary", { B: new Uint8Array(5) }, 5],
    ["an empty list", { L: [] }, 3],
    ["a list", { L: [{ S: "a" }, { S: "b" }] }, 3 + 2 * 2],
    ["a map", { M: { a: { S: "b" } } }, 3 + 1 + 2],
    ["a set", { SS: ["a", "bc"] }, 3],
  ])("counts %s", (_, n, size) => {
    put({ ...rest(size), n });

    expect(errorOf(() => put({ ...rest(size - 1), n }))).toMatchObject({
      name: "ValidationException",
      message: "Item size has exceeded the maximum allowed size",
    });
  });

  test("is also limited for updates, with a message about the size", () => {
    put({});

    expect(errorOf(() => update("SET x = :x", { ":x": { S: "x".repeat(409_600) } }))).toMatchObject({
      name: "ValidationException",
      message: "Item size to update has exceeded the maximum allowed size",
    });
  });
});

describe("the simulated DynamoDB: an eventually consistent read", () => {
  const count = (members: object) => get(members)?.["n"];

  test("returns the state of up to a second ago, unlike a consistent read", () => {
    put({ n: { N: "1" } });
    store.pass(600);
    update("SET n = :n", { ":n": { N: "2" } });
    store.pass(600);
    update("SET n = :n", { ":n": { N: "3" } });

    const seen = [0, 0.3, 0.7, 0.999].map((staleness) => {
      store.staleness = staleness;
      return [count({}), count({ ConsistentRead: true })];
    });

    const one = (N: string) => [{ N }, { N: "3" }];
    expect(seen).toEqual(["3", "2", "1", "1"].map(one));
  });

  test("still returns deleted items, also in queries, and no item created since", () => {
    put({});
    store.pass(5_000);
    table().handle("DeleteItem", { TableName, Key });
    table().handle("PutItem", { TableName, Item: { pk: { S: "p" }, sk: { S: "t" } } });
    store.staleness = 0.9;
    const all = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": { S: "p" } } };

    const sortKeys = (members: object) => query({ ...all, ...members }).Items.map(({ sk }) => sk);

    expect(sortKeys({ ConsistentRead: false })).toEqual([{ S: "s" }]);
    expect(sortKeys({})).toEqual([{ S: "t" }]);
    store.pass(1_000);
    expect(sortKeys({ ConsistentRead: false })).toEqual([{ S: "t" }]);
  });

  test("of an index follows an item that moves to another partition", () => {
    put({ sealingKeyId: { S: "1" } });
    store.pass(5_000);
    update("SET sealingKeyId = :two", { ":two": { S: "2" } });
    const sealedWith = (id: string) =>
      query({
        ConsistentRead: false,
        IndexName: "endpointsBySealingKey",
        KeyConditionExpression: "sealingKeyId = :id",
        ExpressionAttributeValues: { ":id": { S: id } },
      }).Count;

    store.staleness = 0.5;
    const stale = [sealedWith("1"), sealedWith("2")];
    store.staleness = 0;
    const fresh = [sealedWith("1"), sealedWith("2")];
    store.pass(5_000);
    put({ other: { S: "x" }, sealingKeyId: { S: "2" } });
    store.staleness = 0.9;

    expect([stale, fresh, [sealedWith("1"), sealedWith("2")]]).toEqual([
      [1, 0],
      [0, 1],
      [0, 1],
    ]);
  });

  test("is the only kind of read of an index", () => {
    expect(
      errorOf(() =>
        query({
          IndexName: "endpointsBySealingKey",
          KeyConditionExpression: "sealingKeyId = :id",
          ExpressionAttributeValues: { ":id": { S: "1" } },
        }),
      ).name,
    ).toBe("ValidationException");
  });
});

describe("the simulated DynamoDB: expiry", () => {
  const SECOND = BEGINNING / 1000;

  test("removes items when the simulation triggers it, as a change by DynamoDB", () => {
    put({ deleteAfter: { N: String(SECOND + 10) } });
    store.pass(10_000);
    expect(table().removeExpired()).toBe(0);
    store.pass(1);

    expect(get()).toBeDefined();
    expect(table().removeExpired(() => false)).toBe(0);
    expect(table().removeExpired()).toBe(1);

    expect(get()).toBeUndefined();
    expect(records().at(-1)).toMatchObject({
      eventName: "REMOVE",
      userIdentity: { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" },
      dynamodb: { Keys: Key, OldImage: Key },
    });
    expect(records()[0]?.userIdentity).toBeUndefined();
    expect(table().removeExpired()).toBe(0);
  });

  test.each([
    ["was taken back", () => update("REMOVE deleteAfter")],
    ["is text", () => put({ deleteAfter: { S: String(SECOND - 1) } })],
    ["is over five years past", () => put({ deleteAfter: { N: String(SECOND - 6 * 365 * 86_400) } })],
  ])("keeps an item whose expiry time %s", (_, change) => {
    put({ deleteAfter: { N: String(SECOND - 1) } });
    change();

    expect(table().removeExpired()).toBe(0);
  });
});

describe("the simulated DynamoDB: the stream", () => {
  test("has the images, times and sizes of changes, and no record of writes without a change", () => {
    put({ n: { N: "1" } });
    put({ n: { N: "1.0" } });
    store.pass(1_999);
    update("SET n = :n", { ":n": { N: "2" } });
    update("SET n = :n", { ":n": { N: "2" } });
    table().handle("DeleteItem", { TableName, Key });
    table().handle("DeleteItem", { TableName, Key });

    const image = (n: string) => ({ ...Key, n: { N: n } });
    const changes = records().map(({ eventName, dynamodb }) => [
      eventName,
      dynamodb?.OldImage,
      dynamodb?.NewImage,
    ]);
    expect(changes).toEqual([
      ["INSERT", undefined, image("1")],
      ["MODIFY", image("1"), image("2")],
      ["REMOVE", image("2"), undefined],
    ]);
    expect(records()[1]?.dynamodb).toMatchObject({
      ApproximateCreationDateTime: new Date(BEGINNING + 1_000),
      StreamViewType: "NEW_AND_OLD_IMAGES",
      SizeBytes: 6 + 2 * (6 + 3),
    });
  });

  test("keeps the records of a partition in one shard, and spreads partitions over the shards", () => {
    for (let count = 0; count < 200; count++) {
      table().handle("PutItem", {
        TableName,
        Item: marshall({ pk: `CANDIDATE#acme#${count % 50}`, sk: "RECORD", count }),
      });
    }

    const shardsOf = new Map<string, Set<string>>();
    for (const shard of table().shards) {
      const numbers = shard.read(0).map(({ dynamodb }) => dynamodb?.SequenceNumber ?? "");
      expect(numbers).toEqual(numbers.toSorted());
      expect(shard.length).toBeGreaterThan(10);
      for (const { dynamodb } of shard.read(0)) {
        const pk = dynamodb?.Keys?.["pk"]?.S ?? "";
        shardsOf.set(pk, (shardsOf.get(pk) ?? new Set()).add(shard.shardId));
      }
    }
    expect(table().shards.length).toBeGreaterThan(1);
    expect([...shardsOf.values()].every(({ size }) => size === 1)).toBe(true);
  });

  test("can be read from any position, any number of times", () => {
    for (const n of ["1", "2", "3"]) put({ n: { N: n } });
    const shard = table().shards.find(({ length }) => length > 0);

    expect(shard?.read(1, 1)).toEqual(shard?.read(0).slice(1, 2));
  });
});

describe("the simulated DynamoDB: copies", () => {
  test("are made of written and of read items", () => {
    const bytes = new Uint8Array([1, 2]);
    const list = [{ S: "a" }];
    put({ b: { B: bytes }, l: { L: list }, m: { M: { inner: { B: bytes } } } });
    const before = structuredClone(get());

    bytes[0] = 9;
    list.push({ S: "b" });
    for (const item of [
      get(),
      query(EVERYTHING).Items[0],
      records()[0]?.dynamodb?.NewImage,
      [...table().items()][0],
    ]) {
      const { b, l, m } = item as unknown as {
        b: { B: Uint8Array };
        l: { L: object[] };
        m: { M: Record<string, object> };
      };
      b.B[0] = 7;
      l.L.pop();
      m.M["new"] = {};
    }

    expect(get()).toEqual(before);
    expect(records()[0]?.dynamodb?.NewImage).toEqual(before);
  });

  test("are made of an update's values, which later updates do not change", () => {
    const values = { ":l": { L: [{ N: "1" }] } };
    update("SET a = :l, b = :l", values);

    update("SET a[0] = :n", { ":n": { N: "2" } });

    expect(get()).toMatchObject({ a: { L: [{ N: "2" }] }, b: { L: [{ N: "1" }] } });
    expect(records()[0]?.dynamodb?.NewImage).toMatchObject({ a: { L: [{ N: "1" }] } });
  });
});

const EVERYTHING = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": { S: "p" } } };

describe("the simulated DynamoDB: a query", () => {
  const sortKeys = ({ Items }: ReturnType<typeof query>) => Items.map(({ sk }) => (sk as { S: string }).S);
  const putAt = (sk: string, attributes = {}) =>
    table().handle("PutItem", { TableName, Item: { pk: { S: "p" }, sk: { S: sk }, ...attributes } });

  test("returns items in the order of their sort keys' bytes in UTF-8", () => {
    for (const sk of ["b", "\u{1f600}", "a", "\uffee", "é", "ab", "B"]) putAt(sk);

    expect(sortKeys(query(EVERYTHING))).toEqual(["B", "a", "ab", "b", "é", "\uffee", "\u{1f600}"]);
    expect(sortKeys(query({ ...EVERYTHING, ScanIndexForward: false }))[0]).toBe("\u{1f600}");
  });

  test("ends a page after 1 MB, counted before the projection", () => {
    for (const sk of ["1", "2", "3", "4"]) putAt(sk, { x: { S: "x".repeat(400_000) } });

    const page = query({ ...EVERYTHING, ProjectionExpression: "sk" });
    const rest = query({ ...EVERYTHING, ExclusiveStartKey: page.LastEvaluatedKey });

    expect([sortKeys(page), page.LastEvaluatedKey]).toEqual([
      ["1", "2", "3"],
      { pk: { S: "p" }, sk: { S: "3" } },
    ]);
    expect([sortKeys(rest), rest.LastEvaluatedKey]).toEqual([["4"], undefined]);
  });

  test("continues after an item that was deleted", () => {
    for (const sk of ["1", "2", "3"]) putAt(sk);
    const page = query({ ...EVERYTHING, Limit: 2 });
    table().handle("DeleteItem", { TableName, Key: { pk: { S: "p" }, sk: { S: "2" } } });
    store.pass(5_000);
    putAt("0");

    expect(sortKeys(query({ ...EVERYTHING, ExclusiveStartKey: page.LastEvaluatedKey }))).toEqual(["3"]);
  });

  test("of an index returns the projected attributes, and refuses others", () => {
    put({ sealingKeyId: { S: "1" }, orgId: { S: "acme" }, sealedSecret: { S: "secret" } });
    const ofIndex = {
      ConsistentRead: false,
      IndexName: "endpointsBySealingKey",
      KeyConditionExpression: "sealingKeyId = :id",
      ExpressionAttributeValues: { ":id": { S: "1" } },
    };

    expect(query(ofIndex).Items).toEqual([{ ...Key, sealingKeyId: { S: "1" }, orgId: { S: "acme" } }]);
    expect(errorOf(() => query({ ...ofIndex, ProjectionExpression: "sealedSecret" })).name).toBe(
      "ValidationException",
    );
  });
});

describe("the simulated DynamoDB: a transaction", () => {
  const action = (sk: string, members: object) => ({
    Update: { TableName, Key: { pk: { S: "p" }, sk: { S: sk } }, ...members },
  });
  const add = (sk: string, n = "1") =>
    action(sk, { UpdateExpression: "ADD n :n", ExpressionAttributeValues: { ":n": { N: n } } });
  const transact = (TransactItems: object[], members: object = {}) =>
    table().handle("TransactWriteItems", { TransactItems, ...members });

  test("writes nothing if one action fails, and returns the reason for each action", () => {
    put({ n: { S: "text" } });

    const conditional = errorOf(() =>
      transact([
        add("t"),
        {
          Delete: {
            TableName,
            Key,
            ConditionExpression: "attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          },
        },
      ]),
    );
    // DynamoDB Local refuses the request as invalid here.
    const invalid = errorOf(() => transact([add("t"), add("s")]));

    expect(conditional).toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [
        { Code: "None" },
        { Code: "ConditionalCheckFailed", Item: { ...Key, n: { S: "text" } } },
      ],
    });
    expect(invalid).toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "None" }, { Code: "ValidationError" }],
    });
    expect([...table().items()]).toHaveLength(1);
  });

  test.each([
    ["two actions on one item", () => [add("t"), add("t")]],
    ["no action", () => []],
    ["101 actions", () => Array.from({ length: 101 }, (_, index) => add(String(index)))],
    ["an update without an expression", () => [action("t", {})]],
    ["an action of two kinds", () => [{ ...add("t"), Delete: { TableName, Key } }]],
  ])("with %s is refused", (_, actions) => {
    expect(errorOf(() => transact(actions())).name).toBe("ValidationException");
  });

  test("with a client token is done only once within ten minutes", () => {
    const members = { ClientRequestToken: "token" };
    transact([add("s")], members);
    transact([add("s")], members);
    const other = errorOf(() => transact([add("s", "2")], members));
    const once = get()?.["n"];
    store.pass(10 * 60_000);
    transact([add("s")], members);

    expect(once).toEqual({ N: "1" });
    expect(other.name).toBe("IdempotentParameterMismatchException");
    expect(get()?.["n"]).toEqual({ N: "2" });
  });
});

describe("the simulated DynamoDB: an update of a list", () => {
  const LIST = { l: { L: ["a", "b", "c"].map((S) => ({ S })) } };
  const contents = (item: object | undefined) =>
    (item as { l: { L: { S: string }[] } }).l.L.map(({ S }) => S).join("");
  const values = { ":x": { S: "x" }, ":y": { S: "y" } };

  test.each([
    ["REMOVE l[0], l[2]", "b"],
    ["REMOVE l[2], l[0]", "b"],
    ["REMOVE l[7]", "abc"],
    ["SET l[9] = :x, l[4] = :y", "abcyx"],
    ["SET l[1] = :x, l[4] = :y REMOVE l[0]", "xcy"],
    // The index is that of the list before the update.
    ["SET l[4] = :x, l[5] = :y REMOVE l[3]", "abcxy"],
  ])("%s leaves %s", (expression, left) => {
    put(LIST);
    const used = Object.entries(values).filter(([name]) => expression.includes(name));

    const { Attributes } = update(expression, used.length > 0 ? Object.fromEntries(used) : undefined);

    expect(contents(Attributes)).toBe(left);
  });
});

describe("the simulated DynamoDB: an expression", () => {
  const V = { ":v": { N: "1" } };
  const many = (count: number, join: string) => Array.from({ length: count }, () => "n = :v").join(join);
  const refusedBy = (ConditionExpression: string, values: object = V) =>
    errorOf(() => put({}, { ConditionExpression, ...(values && { ExpressionAttributeValues: values }) }))
      .name;

  test.each([
    ["a reserved word as a name", "status = :v"],
    ["parentheses around parentheses", "((n = :v))"],
    ["an attribute compared with itself", "n = n AND n = :v"],
    ["an unknown function", "exists(n) AND n = :v"],
    ["a function in other letters", "Attribute_Exists(n) AND n = :v"],
    ["a function of a value that needs a path", "attribute_exists(:v)"],
    ["too many operands", "attribute_exists(n, m) AND n = :v"],
    ["a size on its own", "size(n) AND n = :v"],
    ["a prefix that is a number", "begins_with(n, :v)"],
    ["bounds in the wrong order", "n BETWEEN :v AND :w"],
    ["a comparator without an operand", "n = :v AND n <"],
    ["something after its end", "n = :v n"],
    ["a parenthesis that is not closed", "(n = :v"],
    ["a name that begins with an underscore", "_n = :v"],
    ["nothing", " "],
    ["101 operands of IN", `n IN (${Array.from({ length: 101 }, () => ":v").join(", ")})`],
    ["301 operators", many(151, " OR ")],
    ["4,097 bytes", "n = :v".padEnd(4_097)],
  ])("with %s is refused", (_, condition) => {
    const values = condition.includes(":w") ? { ...V, ":w": { N: "0" } } : V;

    expect(refusedBy(condition, values)).toBe("ValidationException");
  });

  test.each([
    ["100 operands of IN", `n IN (${Array.from({ length: 100 }, () => ":v").join(", ")})`],
    ["299 operators", many(150, " OR ")],
    ["4,096 bytes", "n = :v".padEnd(4_096)],
  ])("with %s is accepted", (_, condition) => {
    expect(refusedBy(condition)).toBe("ConditionalCheckFailedException");
  });

  test.each([
    ["a path twice", "SET n = :v, n = :v"],
    ["a path and one within it", "SET m = :v, m.a = :v"],
    ["a map and a list at one path", "SET m.a = :v, m[0] = :v"],
    ["a clause twice", "SET n = :v SET m = :v"],
    ["an attribute of the key", "SET sk = :v"],
    ["a sum of three", "SET n = :v + :v + :v"],
    ["a function of conditions", "SET n = size(m) REMOVE x ADD o :v"],
    ["a number deleted from a set", "DELETE n :v"],
    ["a negative index", "SET l[-1] = :v"],
    ["nothing to set", "SET"],
  ])("that updates %s is refused", (_, expression) => {
    expect(errorOf(() => update(expression, V)).name).toBe("ValidationException");
  });

  test.each([
    ["an attribute that is missing", "SET a = b + :v"],
    ["a text as a number", "SET a = s + :v"],
    ["a member of what is no map", "SET s.a = :v"],
    ["an index of what is no list", "REMOVE s[0] SET a = :v"],
  ])("that uses %s is refused and leaves the item unchanged", (_, expression) => {
    put({ s: { S: "text" } });

    expect(errorOf(() => update(expression, V)).name).toBe("ValidationException");
    expect(get()).toEqual({ ...Key, s: { S: "text" } });
  });
});

describe("the simulated DynamoDB: a key", () => {
  test.each([
    ["without the sort key", { pk: { S: "p" } }],
    ["with another attribute", { ...Key, n: { N: "1" } }],
    ["of another type", { ...Key, sk: { N: "1" } }],
    ["that is empty", { ...Key, sk: { S: "" } }],
    ["with over 2,048 bytes of partition key", { ...Key, pk: { S: "é".repeat(1_025) } }],
    ["with over 1,024 bytes of sort key", { ...Key, sk: { S: "x".repeat(1_025) } }],
  ])("%s is refused", (_, key) => {
    expect(errorOf(() => table().handle("GetItem", { TableName, Key: key })).name).toBe(
      "ValidationException",
    );
  });
});

describe("the simulated DynamoDB: a value", () => {
  const nested = (levels: number): object => (levels === 0 ? { S: "" } : { L: [nested(levels - 1)] });

  test.each([
    ["an empty set", { SS: [] }],
    ["a set with a member twice", { NS: ["1", "1.0"] }],
    ["null that is false", { NULL: false }],
    ["two types", { S: "a", N: "1" }],
    ["no type", {}],
    ["an unknown type", { X: "a" }],
    ["a nameless member", { M: { "": { S: "a" } } }],
    ["33 levels, the item the first", nested(32)],
  ])("with %s is refused", (_, n) => {
    expect(errorOf(() => put({ n })).name).toBe("ValidationException");
  });

  test.each([
    ["an attribute called constructor", { constructor: { S: "a" } }],
    [
      "empty text, binary, list and map",
      { s: { S: "" }, b: { B: new Uint8Array() }, l: { L: [] }, m: { M: {} } },
    ],
    ["32 levels", { n: nested(31) }],
  ])("with %s is stored", (_, attributes) => {
    put(attributes);

    expect(get()).toEqual({ ...Key, ...attributes });
  });

  test("inherited by every JavaScript object is no attribute", () => {
    put({});

    expect(
      errorOf(() =>
        update(
          "SET hit = :v",
          { ":v": { BOOL: true } },
          { ConditionExpression: "attribute_exists(#c)", ExpressionAttributeNames: { "#c": "constructor" } },
        ),
      ).name,
    ).toBe("ConditionalCheckFailedException");
  });
});

test("the simulated DynamoDB: a projection keeps the order of list members and omits missing ones", () => {
  put({
    l: { L: [{ M: { a: { N: "1" }, b: { N: "2" } } }, { N: "2" }, { N: "3" }] },
    m: { M: { a: { N: "1" } } },
  });

  expect(get({ ConsistentRead: true, ProjectionExpression: "l[2], l[0].b, l[9], m.b" })).toEqual({
    l: { L: [{ M: { b: { N: "2" } } }, { N: "3" }] },
  });
});

describe("the simulated DynamoDB refuses, unlike DynamoDB Local,", () => {
  test("an update that gives an index's key attribute another type", () => {
    expect(errorOf(() => update("SET sealingKeyId = :n", { ":n": { N: "1" } })).name).toBe(
      "ValidationException",
    );
  });
});

describe("the simulated DynamoDB", () => {
  test.each([
    ["another operation", () => table().handle("Scan", { TableName })],
    [
      "an attribute that JavaScript's objects cannot have",
      () => put(JSON.parse('{ "__proto__": { "S": "a" } }')),
    ],
    ["a parameter that it would ignore", () => get({ AttributesToGet: ["n"] })],
    [
      "what an update within an attribute returns as updated",
      () => update("REMOVE m.a", undefined, { ReturnValues: "UPDATED_NEW" }),
    ],
    [
      "a table whose keys are no strings",
      () =>
        new SimulatedStore({
          ...serviceTable,
          attributes: [{ AttributeName: "pk", AttributeType: "N" }],
        }),
    ],
  ])("throws a NotSimulated error for %s", (_, request) => {
    expect(errorOf(request).name).toBe("NotSimulated");
  });

  test("accepts an operation's name as in the protocol's header", () => {
    put({});

    expect(table().handle("DynamoDB_20120810.GetItem", { TableName, Key })).toEqual({ Item: Key });
  });

  test("has no table other than its own", () => {
    expect(errorOf(() => table().handle("GetItem", { TableName: "other", Key })).name).toBe(
      "ResourceNotFoundException",
    );
  });
});
