import type { QueryCommandInput, QueryCommandOutput } from "@aws-sdk/client-dynamodb";
import { copyOf, type Item, sizeOf, storedItem } from "./attribute-value.ts";
import { type Condition, parseFilter, parseKeyCondition } from "./condition-expression.ts";
import { holds } from "./condition-result.ts";
import { assertOperands } from "./condition-rules.ts";
import { ValidationException } from "./errors.ts";
import type { Parsed, Path } from "./expression-reader.ts";
import type { Found, KeyAttributes } from "./item-store.ts";
import { keyCondition, keyTexts } from "./key-condition.ts";
import { Placeholders } from "./placeholders.ts";
import { parseProjection, projected, resolvedPaths } from "./projection-expression.ts";
import { assertMembers, optional, QUERY_MEMBERS } from "./request-parameters.ts";
import type { RangeQuery, TableItems } from "./table-items.ts";
import { attributesOf, type SecondaryIndex, type TableSchema } from "./table-schema.ts";

/** A query that is valid, whatever the table contains. */
interface PlannedQuery {
  readonly range: RangeQuery;
  /** The attributes that say where an item is in the table and in the index. */
  readonly placeNames: readonly string[];
  /** What the table or the index has of an item. */
  stored(item: Item): Item;
  isAllowed(item: Item): boolean;
  /** What the query returns of an item. */
  returned(item: Item): Item;
}

/**
 * One page of a query's items.
 *
 * @param pageBytes what the query reads before it returns the page
 */
export function query(
  input: QueryCommandInput,
  schema: TableSchema,
  items: TableItems,
  pageBytes: number,
): Omit<QueryCommandOutput, "$metadata"> {
  assertMembers(input, ...QUERY_MEMBERS);
  schema.assertName(input.TableName);
  const { Limit } = input;
  if (Limit !== undefined && Limit < 1) {
    throw new ValidationException("Limit must be greater than or equal to 1");
  }
  const planned = planQuery(input, schema);
  return pageOf(items.query(planned.range, input.ConsistentRead), planned, Limit, pageBytes);
}

function planQuery(input: QueryCommandInput, schema: TableSchema): PlannedQuery {
  const { IndexName, ScanIndexForward: isForward = true, ExclusiveStartKey: start } = input;
  const index = indexOf(input, schema);
  if (input.KeyConditionExpression === undefined) {
    throw new ValidationException(
      "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    );
  }
  const keys = index?.keys ?? schema.keys;
  const condition = parseKeyCondition(input.KeyConditionExpression);
  const filter = optional(input.FilterExpression, parseFilter);
  const projection = optional(input.ProjectionExpression, parseProjection);
  const placeholders = new Placeholders(input, [condition, filter, projection]);
  assertOperands(condition, placeholders);
  const { partition, range } = keyCondition(condition.root, keys, placeholders);
  if (filter) {
    assertOperands(filter, placeholders);
    assertFilter(filter, keys, index, placeholders);
  }
  const paths = projection && resolvedPaths(projection, placeholders);
  assertProjects(IndexName, index, paths ?? []);
  return {
    range: {
      indexName: IndexName,
      partition,
      range,
      isForward,
      after: start && startKey(start, keys, { partition, range }, schema),
    },
    placeNames: schema.placeNames(keys),
    stored: (item) => (index?.attributes ? attributesOf(item, index.attributes) : item),
    isAllowed: (item) => !filter || holds(filter.root, item, placeholders),
    returned: (item) => copyOf(paths ? projected(item, paths) : item),
  };
}

/** The index that a query names; the table itself when undefined. */
function indexOf(
  { IndexName, ConsistentRead }: QueryCommandInput,
  schema: TableSchema,
): SecondaryIndex | undefined {
  const index = IndexName === undefined ? undefined : schema.indexes.get(IndexName);
  if (IndexName !== undefined && !index) {
    throw new ValidationException(`The table does not have the specified index: ${IndexName}`);
  }
  if (index && ConsistentRead) {
    throw new ValidationException("Consistent reads are not supported on global secondary indexes");
  }
  return index;
}

function pageOf(
  rows: Iterable<Found>,
  { placeNames, stored, isAllowed, returned }: PlannedQuery,
  limit: number | undefined,
  pageBytes: number,
): Omit<QueryCommandOutput, "$metadata"> {
  const items: Item[] = [];
  let [scanned, bytes] = [0, 0];
  let last: { readonly item: Item } | undefined;
  let hasMore = false;
  for (const found of rows) {
    if (bytes >= pageBytes) {
      hasMore = true;
      break;
    }
    last = found;
    scanned += 1;
    const item = stored(found.item);
    bytes += sizeOf(item);
    if (isAllowed(item)) items.push(returned(item));
    if (scanned === limit) {
      hasMore = true;
      break;
    }
  }
  return {
    Items: items,
    Count: items.length,
    ScannedCount: scanned,
    ...(hasMore && last && { LastEvaluatedKey: copyOf(attributesOf(last.item, placeNames)) }),
  };
}

function startKey(
  start: object,
  keys: KeyAttributes,
  { partition, range }: Pick<RangeQuery, "partition" | "range">,
  schema: TableSchema,
) {
  const names = schema.placeNames(keys);
  const item = storedItem(start);
  const texts = new Map(names.map((name, index) => [name, keyTexts(item, names)[index] ?? ""] as const));
  const text = (name: string) => texts.get(name) ?? "";
  const sort = text(keys.sort);
  if (text(keys.partition) !== partition || range.isBefore(sort) || range.isAfter(sort)) {
    throw new ValidationException("The provided starting key is outside query boundaries");
  }
  return { pk: text(schema.keys.partition), sk: text(schema.keys.sort), sort };
}

function assertFilter(
  { root, kind }: Parsed<Condition>,
  keys: KeyAttributes,
  index: SecondaryIndex | undefined,
  placeholders: Placeholders,
): void {
  for (const name of attributesIn(root, placeholders)) {
    if (name === keys.partition || name === keys.sort) {
      throw new ValidationException(
        `${kind} can only contain non-primary key attributes: Primary key attribute: ${name}`,
      );
    }
    if (index?.attributes && !index.attributes.includes(name)) {
      throw new ValidationException(
        `One or more parameter values were invalid: the index does not project the filter attribute ${name}`,
      );
    }
  }
}

function assertProjects(
  indexName: string | undefined,
  index: SecondaryIndex | undefined,
  paths: readonly Path[],
): void {
  for (const [name] of paths) {
    if (!index?.attributes || index.attributes.includes(name as string)) continue;
    throw new ValidationException(
      `One or more parameter values were invalid: Global secondary index ${indexName} does not project [${name}]`,
    );
  }
}

/** The attributes that a condition names. */
function attributesIn(condition: unknown, placeholders: Placeholders): string[] {
  if (typeof condition !== "object" || condition === null) return [];
  if ("path" in condition && Array.isArray(condition.path)) return [placeholders.name(condition.path[0])];
  return Object.values(condition).flatMap((part) => attributesIn(part, placeholders));
}
