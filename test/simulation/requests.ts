import type {
  AttributeValue,
  DeleteItemCommandInput,
  GetItemCommandInput,
  PutItemCommandInput,
  QueryCommandInput,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import fc from "fast-check";

/** A request to DynamoDB, by the names of its protocol. */
export type Request =
  | { readonly target: "GetItem"; readonly input: GetItemCommandInput }
  | { readonly target: "PutItem"; readonly input: PutItemCommandInput }
  | { readonly target: "UpdateItem"; readonly input: UpdateItemCommandInput }
  | { readonly target: "DeleteItem"; readonly input: DeleteItemCommandInput }
  | { readonly target: "Query"; readonly input: QueryCommandInput }
  | { readonly target: "TransactWriteItems"; readonly input: TransactWriteItemsCommandInput };

/** A piece of an expression: a name is `#name`, and each `?` stands for the next of the values. */
interface Piece {
  readonly text: string;
  readonly values: readonly AttributeValue[];
}

const number = fc
  .constantFrom(
    "0",
    "1",
    "2",
    "-1",
    "10",
    "0.5",
    "1.0",
    "1e2",
    "+3",
    "99999999999999999999999999999999999999",
  )
  .map((N): AttributeValue => ({ N }));
const text = fc
  .constantFrom("", "a", "ab", "pending", "delivered", "2026-01-01T00:00:00.000Z", "é", "\u{1f600}", "\uffee")
  .map((S): AttributeValue => ({ S }));
const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  { arbitrary: number, weight: 3 },
  { arbitrary: text, weight: 3 },
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ NULL: true }),
  fc.uint8Array({ maxLength: 3 }).map((B) => ({ B })),
);
const members = <Member>(...of: Member[]) => fc.subarray(of, { minLength: 1 });
const set = fc.oneof(
  members("a", "ab", "").map((SS): AttributeValue => ({ SS })),
  members("1", "2.0", "10").map((NS): AttributeValue => ({ NS })),
  members(new Uint8Array(), new Uint8Array([1])).map((BS): AttributeValue => ({ BS })),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  { arbitrary: scalar, weight: 8 },
  { arbitrary: fc.array(scalar, { maxLength: 3 }).map((L): AttributeValue => ({ L })), weight: 3 },
  {
    arbitrary: fc
      .record(
        { inner: scalar, list: fc.array(scalar, { maxLength: 2 }).map((L) => ({ L })) },
        { requiredKeys: [] },
      )
      .map((M): AttributeValue => ({ M })),
    weight: 3,
  },
  { arbitrary: set, weight: 3 },
);

const ATTRIBUTES = ["status", "updatedAt", "attempts", "count", "map", "event"];
const attribute = fc.constantFrom(...ATTRIBUTES).map((name) => `#${name}`);
const path = fc.oneof(
  { arbitrary: attribute, weight: 20 },
  fc.constantFrom(
    "#map.#inner",
    "#map.#list[0]",
    "#attempts[0]",
    "#attempts[1]",
    "#attempts[5]",
    "#count.#inner",
    "updatedAt",
  ),
);

const piece = (text: string, ...values: readonly AttributeValue[]): Piece => ({ text, values });

const atom: fc.Arbitrary<Piece> = fc.oneof(
  fc
    .tuple(fc.constantFrom("attribute_exists", "attribute_not_exists"), fc.oneof(path, fc.constant("pk")))
    .map(([name, of]) => piece(`${name}(${of})`)),
  {
    arbitrary: fc
      .tuple(path, fc.constantFrom("=", "<>"), value)
      .map(([of, comparator, one]) => piece(`${of} ${comparator} ?`, one)),
    weight: 4,
  },
  {
    arbitrary: fc
      .tuple(
        path,
        fc.constantFrom("<", "<=", ">", ">="),
        fc.oneof({ arbitrary: fc.oneof(text, number), weight: 20 }, value),
      )
      .map(([of, comparator, one]) => piece(`${of} ${comparator} ?`, one)),
    weight: 4,
  },
  fc.tuple(path, path).map(([left, right]) => piece(`${left} = ${right}`)),
  fc.tuple(number, path).map(([one, of]) => piece(`? <= ${of}`, one)),
  fc
    .tuple(path, fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([of, candidates]) => piece(`${of} IN (${candidates.map(() => "?").join(", ")})`, ...candidates)),
  fc.tuple(path, number, number).map(([of, low, high]) => piece(`${of} BETWEEN ? AND ?`, low, high)),
  fc.tuple(path, text).map(([of, prefix]) => piece(`begins_with(${of}, ?)`, prefix)),
  fc.tuple(path, scalar).map(([of, member]) => piece(`contains(${of}, ?)`, member)),
  fc.tuple(path, number).map(([of, size]) => piece(`size(${of}) >= ?`, size)),
  fc
    .tuple(path, fc.constantFrom("S", "N", "L", "M", "SS", "S", "N", "Q"))
    .map(([of, S]) => piece(`attribute_type(${of}, ?)`, { S })),
);

const { condition } = fc.letrec<{ condition: Piece }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc
      .tuple(tie("condition"), fc.constantFrom("AND", "OR", "and"), tie("condition"))
      .map(([left, operator, right]) =>
        piece(`${left.text} ${operator} ${right.text}`, ...left.values, ...right.values),
      ),
    tie("condition").map(({ text, values }) => piece(`NOT ${text}`, ...values)),
    tie("condition").map(({ text, values }) => piece(`(${text})`, ...values)),
  ),
}));

const list = fc.array(scalar, { maxLength: 2 }).map((L): AttributeValue => ({ L }));

const assignment: fc.Arbitrary<Piece> = fc.oneof(
  { arbitrary: fc.tuple(path, value).map(([of, one]) => piece(`${of} = ?`, one)), weight: 10 },
  {
    arbitrary: fc
      .tuple(path, path, value)
      .map(([of, from, one]) => piece(`${of} = if_not_exists(${from}, ?)`, one)),
    weight: 4,
  },
  fc.tuple(path, path).map(([of, from]) => piece(`${of} = ${from}`)),
  fc
    .tuple(path, fc.constantFrom("#attempts", "#event"), list, list)
    .map(([of, from, none, more]) => piece(`${of} = list_append(if_not_exists(${from}, ?), ?)`, none, more)),
  fc
    .tuple(path, fc.oneof(list, list, value))
    .map(([of, more]) => piece(`${of} = list_append(#attempts, ?)`, more)),
  fc
    .tuple(path, fc.constantFrom("+", "-"), fc.oneof(number, number, value))
    .map(([of, sign, by]) => piece(`${of} = #count ${sign} ?`, by)),
  fc
    .tuple(path, number, number)
    .map(([of, start, by]) => piece(`${of} = if_not_exists(#count, ?) + ?`, start, by)),
);

const clause = (keyword: string, actions: readonly Piece[]): Piece[] =>
  actions.length === 0
    ? []
    : [
        piece(
          `${keyword} ${actions.map(({ text }) => text).join(", ")}`,
          ...actions.flatMap(({ values }) => values),
        ),
      ];

const few = <Item>(of: fc.Arbitrary<Item>) => fc.array(of, { maxLength: 2 });

const update: fc.Arbitrary<Piece> = fc
  .record({
    set: few(assignment),
    remove: few(path.map((of) => piece(of))),
    add: few(fc.tuple(path, fc.oneof(number, value)).map(([of, by]) => piece(`${of} ?`, by))),
    delete: few(fc.tuple(path, value).map(([of, by]) => piece(`${of} ?`, by))),
    // A mistake in one of thirty.
    mistake: fc.noBias(fc.integer({ min: 0, max: 29 })),
  })
  .map(({ set, remove, add, delete: deleted, mistake }) => {
    const touched = new Set<string>();
    // Updates that touch an attribute twice are refused: most of them do not.
    const apart = (actions: readonly Piece[]) =>
      actions.filter(({ text }) => {
        const [attribute = ""] = /^#?\w+/.exec(text) ?? [];
        const isApart = !touched.has(attribute);
        touched.add(attribute);
        return isApart || mistake > 26;
      });
    const clauses = [
      ...clause("SET", apart(set)),
      ...clause("REMOVE", apart(remove)),
      ...(mistake % 3 === 0 ? clause("ADD", apart(add)) : []),
      ...(mistake % 5 === 0 ? clause("DELETE", apart(deleted)) : []),
    ];
    const all = clauses.length > 0 ? clauses : [piece("REMOVE #event")];
    const slip = ["", ",", " SET", " status = ?"][mistake] ?? "";
    return piece(
      all.map(({ text }) => text).join(" ") + slip,
      ...all.flatMap(({ values }) => values),
      ...(slip.includes("?") ? [{ S: "a" }] : []),
    );
  });

/** The expressions of a request with the names and values that they use; `extra` adds one that none uses. */
function substituted<Members extends string>(
  expressions: Readonly<Partial<Record<Members, Piece | undefined>>>,
  extra: number,
): Record<string, unknown> {
  const values: Record<string, AttributeValue> = {};
  const texts: Record<string, string> = {};
  for (const [member, expression] of Object.entries<Piece | undefined>(expressions)) {
    if (!expression) continue;
    let index = 0;
    texts[member] = expression.text.replace(/\?/g, () => {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = expression.values[index++] as AttributeValue;
      return placeholder;
    });
  }
  const names = Object.fromEntries(
    [
      ...Object.values(texts)
        .join(" ")
        .matchAll(/#(\w+)/g),
    ].map(([name, attribute]) => [name, attribute ?? ""]),
  );
  if (extra === 0) values[":unused"] = { S: "a" };
  if (extra === 1) names["#unused"] = "a";
  if (extra === 2) delete values[":v0"];
  return {
    ...texts,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** Attributes of an item: mostly of the types that the service's have. */
const attributes = fc.oneof(
  {
    arbitrary: fc.record(
      {
        status: fc.constantFrom("pending", "delivered").map((S) => ({ S })),
        updatedAt: text,
        attempts: list,
        count: number,
        map: fc.record({ inner: number, list }).map(({ inner, list }) => ({ M: { inner, list } })),
        event: set,
      },
      { requiredKeys: [] },
    ),
    weight: 3,
  },
  fc.dictionary(fc.constantFrom(...ATTRIBUTES), value, { maxKeys: 5 }),
);

const SORT_KEYS = ["RECORD", "DELIVERY#1", "DELIVERY#2", "DELIVERY#\uffee", "DELIVERY#\u{1f600}"];
const extra = fc.noBias(fc.integer({ min: 0, max: 120 }));
const optional = <Item>(of: fc.Arbitrary<Item>) => fc.option(of, { nil: undefined });
const failed = fc.constantFrom<"NONE" | "ALL_OLD">("NONE", "ALL_OLD");

/** Requests on a few items of one partition, and on what an index has of one organisation. */
export function requestsOn(TableName: string, pk: string, organisation: string): fc.Arbitrary<Request> {
  const key = fc.constantFrom(...SORT_KEYS).map((sk) => ({ pk: { S: pk }, sk: { S: sk } }));
  const item = fc
    .tuple(
      key,
      attributes,
      fc.constantFrom(
        {},
        { sealingKeyId: { S: organisation } },
        { sealingKeyId: { S: organisation }, orgId: { S: "o" } },
      ),
    )
    .map(([keys, attributes, index]) => ({ ...attributes, ...index, ...keys }));
  const put = fc
    .record({
      item,
      condition: optional(condition),
      extra,
      failed,
      returns: fc.constantFrom("NONE", "ALL_OLD"),
    })
    .map(({ item, condition, extra, failed, returns }) => ({
      TableName,
      Item: item,
      ...substituted({ ConditionExpression: condition }, extra),
      ReturnValues: returns,
      ReturnValuesOnConditionCheckFailure: failed,
    }));
  const updating = fc
    .record({
      key,
      update,
      condition: optional(condition),
      extra,
      failed,
      returns: fc.constantFrom("NONE", "ALL_OLD", "ALL_NEW", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"),
    })
    .filter(({ update, returns }) => !returns.startsWith("UPDATED") || !/[.[]/.test(update.text))
    .map(({ key, update, condition, extra, failed, returns }) => ({
      TableName,
      Key: key,
      ...substituted({ UpdateExpression: update, ConditionExpression: condition }, extra),
      ReturnValues: returns,
      ReturnValuesOnConditionCheckFailure: failed,
    }));
  const deleting = fc
    .record({
      key,
      condition: optional(condition),
      extra,
      failed,
      returns: fc.constantFrom("NONE", "ALL_OLD"),
    })
    .map(({ key, condition, extra, failed, returns }) => ({
      TableName,
      Key: key,
      ...substituted({ ConditionExpression: condition }, extra),
      ReturnValues: returns,
      ReturnValuesOnConditionCheckFailure: failed,
    }));
  const projection = fc
    .uniqueArray(path, { minLength: 1, maxLength: 3 })
    .map((paths) => piece(paths.join(", ")));
  const getting = fc
    .record({ key, projection: optional(projection), extra })
    .map(({ key, projection, extra }) => ({
      TableName,
      Key: key,
      ConsistentRead: true,
      ...substituted({ ProjectionExpression: projection }, extra === 0 ? 9 : extra),
    }));
  const sort = fc.constantFrom(
    piece(""),
    piece(" AND begins_with(sk, ?)", { S: "DELIVERY#" }),
    piece(" AND begins_with(sk, ?)", { S: "DELIVERY#" }),
    piece(" AND sk > ?", { S: "DELIVERY#1" }),
    piece(" AND sk < ?", { S: "DELIVERY#\uffee" }),
    // Bounds that no item has: whether more than the last item of a range may follow it, AWS does not document.
    piece(" AND sk <= ?", { S: "DELIVERY#\uffef" }),
    piece(" AND sk >= ?", { S: "DELIVERY#0" }),
    piece(" AND #sk BETWEEN ? AND ?", { S: "DELIVERY#0" }, { S: "E" }),
    piece(" AND sk = ?", { S: "RECORD" }),
    piece(" AND begins_with(sk, ?)", { S: "" }),
    piece(" AND #count = ?", { N: "1" }),
  );
  const querying = fc
    .record({
      sort,
      filter: optional(atom),
      projection: optional(projection),
      extra,
      page: fc.record(
        { Limit: fc.constantFrom(1, 1, 2, 3, 4, 5, 6, 0), ExclusiveStartKey: key },
        { requiredKeys: [] },
      ),
      forward: optional(fc.boolean()),
    })
    .map(({ sort, filter, projection, extra, page, forward }) => ({
      TableName,
      ConsistentRead: true,
      ...substituted(
        {
          KeyConditionExpression: piece(`pk = ?${sort.text}`, { S: pk }, ...sort.values),
          FilterExpression: filter,
          ProjectionExpression: projection,
        },
        extra,
      ),
      ...(forward !== undefined && { ScanIndexForward: forward }),
      ...(!sort.text.includes("sk = ") && page),
    }));
  const indexed = extra.map((extra) => ({
    TableName,
    IndexName: "endpointsBySealingKey",
    ...substituted({ KeyConditionExpression: piece("#sealingKeyId = ?", { S: organisation }) }, extra),
  }));
  const withoutReturns = <Input extends { ReturnValues: string }>({ ReturnValues: _, ...input }: Input) =>
    input;
  const transaction = fc
    .uniqueArray(
      fc.oneof(
        put.map((input) => ({ sk: input.Item.sk.S, action: { Put: withoutReturns(input) } })),
        updating.map((input) => ({ sk: input.Key.sk.S, action: { Update: withoutReturns(input) } })),
        deleting.map((input) => ({ sk: input.Key.sk.S, action: { Delete: withoutReturns(input) } })),
      ),
      { minLength: 1, maxLength: 3, selector: ({ sk }) => sk },
    )
    .map((actions) => ({ TransactItems: actions.map(({ action }) => action) }));
  return fc.oneof(
    { arbitrary: put.map((input) => ({ target: "PutItem", input }) as Request), weight: 4 },
    {
      arbitrary: updating.map((input) => ({ target: "UpdateItem", input }) as unknown as Request),
      weight: 8,
    },
    { arbitrary: deleting.map((input) => ({ target: "DeleteItem", input }) as Request), weight: 1 },
    { arbitrary: getting.map((input) => ({ target: "GetItem", input }) as Request), weight: 2 },
    { arbitrary: querying.map((input) => ({ target: "Query", input }) as unknown as Request), weight: 3 },
    { arbitrary: indexed.map((input) => ({ target: "Query", input }) as unknown as Request), weight: 1 },
    {
      arbitrary: transaction.map((input) => ({ target: "TransactWriteItems", input }) as unknown as Request),
      weight: 3,
    },
  );
}
