import type {
  BatchWriteItemCommandInput,
  CancellationReason,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  TransactWriteItem,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from "@aws-sdk/client-dynamodb";
import type { TableDefinition } from "../../../local/dynamodb/tables.ts";
import {
  attributeOf,
  copyOf,
  type Item,
  isSameItem,
  sizeOf,
  storedItem,
  type Value,
} from "./attribute-value.ts";
import { type Condition, parseCondition, parseFilter, parseKeyCondition } from "./condition-expression.ts";
import { holds } from "./condition-result.ts";
import { assertOperands } from "./condition-rules.ts";
import {
  conditionalCheckFailed,
  idempotentParameterMismatch,
  NotSimulated,
  noSuchTable,
  transactionCanceled,
  ValidationException,
} from "./errors.ts";
import type { Parsed, Path } from "./expression-reader.ts";
import { ItemStore, type Key, type KeyAttributes, type SortRange } from "./item-store.ts";
import { keyCondition, keyTexts } from "./key-condition.ts";
import { Placeholders } from "./placeholders.ts";
import { parseProjection, projected, resolvedPaths } from "./projection-expression.ts";
import { type Shard, TableStream } from "./table-stream.ts";
import { parseUpdate } from "./update-expression.ts";
import { updated, updatedAttributes } from "./update-result.ts";
import { assertUpdate } from "./update-rules.ts";

/** 400 KB per item; keys of 2,048 and 1,024 bytes (Amazon DynamoDB quotas). */
const ITEM_BYTES = 400 * 1024;
const PARTITION_KEY_BYTES = 2048;
const SORT_KEY_BYTES = 1024;
/** What a query reads before it returns a page (Amazon DynamoDB Developer Guide, "Paginating the results"). */
const PAGE_BYTES = 1024 * 1024;
/** Actions and bytes of a transaction (Amazon DynamoDB Developer Guide, "Amazon DynamoDB Transactions"). */
const TRANSACTION_ACTIONS = 100;
const TRANSACTION_BYTES = 4 * 1024 * 1024;
/** How long a client token stands for its request (the same page): 10 minutes. */
const TOKEN_MS = 10 * 60_000;
/** Items that expired longer ago are left alone (the guide, "Time to Live"): five years. */
const LONGEST_EXPIRED_SECONDS = 5 * 365 * 24 * 60 * 60;

/** What the simulation decides. */
interface Dependencies {
  /** The simulation's clock, in ms since 1970; it never goes back. */
  now(): number;
  /** At least 0 and less than 1: how old the state is that an eventually consistent read returns. */
  random(): number;
  /** The age of the oldest state that such a read may return, in ms. */
  readonly stalenessMs?: number;
  /** What a query reads before it returns a page, in bytes; absent for AWS's own. */
  readonly pageBytes?: number | undefined;
  /** Shards of the stream. */
  readonly shards?: number;
}

interface SecondaryIndex {
  readonly keys: KeyAttributes;
  /** The attributes that the index has of an item; absent when all. */
  readonly attributes?: readonly string[];
}

/** A write that is valid, whatever the table contains. */
interface Write {
  readonly key: Key;
  readonly returnsFailed: boolean;
  /** @throws ValidationException when no table would store it */
  assertStorable(): void;
  isAllowed(item: Item | undefined): boolean;
  /** @throws ValidationException when the write does not fit the item */
  after(item: Item | undefined): Item | undefined;
}

/**
 * A DynamoDB with one table whose keys are strings: what AWS documents of the requests that the service sends.
 * It runs within the process, without I/O, timers, or a clock and randomness of its own. A request that it does
 * not cover is a `NotSimulated` error and no response.
 *
 * Its limits: requests are handled one after the other, and conflict only if the caller says so; it throttles
 * nothing; it has neither Scan, batches nor the parameters that expressions replaced; an index ignores items that lack
 * its keys, and orders those with equal sort keys by the table's keys, where AWS specifies no order.
 */
export class SimulatedTable {
  readonly #name: string;
  readonly #keys: KeyAttributes;
  readonly #keyNames: readonly string[];
  readonly #indexes: ReadonlyMap<string, SecondaryIndex>;
  readonly #timeToLive: string | undefined;
  readonly #store: ItemStore;
  readonly #stream: TableStream | undefined;
  readonly #expiring = new Map<string, Key>();
  readonly #tokens = new Map<string, { readonly at: number; readonly request: string }>();
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #stalenessMs: number;
  readonly #pageBytes: number;

  constructor(
    { name, keys, indexes, stream, timeToLive, attributes }: TableDefinition,
    { now, random, stalenessMs = 1_000, pageBytes = PAGE_BYTES, shards = 4 }: Dependencies,
  ) {
    if (attributes.some(({ AttributeType }) => AttributeType !== "S")) {
      throw new NotSimulated("A key that is no string is not simulated.");
    }
    this.#name = name;
    this.#keys = keyAttributes(keys);
    this.#keyNames = [this.#keys.partition, this.#keys.sort];
    this.#indexes = new Map(
      indexes.map(({ IndexName, KeySchema, Projection }) => {
        const own = keyAttributes(KeySchema ?? []);
        const named = [...this.#keyNames, own.partition, own.sort, ...(Projection?.NonKeyAttributes ?? [])];
        const isWhole = Projection?.ProjectionType === "ALL";
        return [IndexName ?? "", { keys: own, ...(!isWhole && { attributes: [...new Set(named)] }) }];
      }),
    );
    this.#timeToLive = timeToLive;
    this.#stream = stream && new TableStream(stream, shards);
    this.#now = now;
    this.#random = random;
    this.#stalenessMs = stalenessMs;
    this.#pageBytes = pageBytes;
    const indexKeys = [...this.#indexes].map(([name, { keys }]) => [name, keys] as const);
    this.#store = new ItemStore(this.#keys, new Map(indexKeys), stalenessMs);
  }

  /**
   * Handles one request of the JSON protocol.
   *
   * @param target the operation, with or without `DynamoDB_20120810.` before it
   * @param input its parameters, binary values as `Uint8Array`
   * @param conflicts whether another transaction writes one of the items at this moment
   * @throws the SDK's exceptions; NotSimulated when the request is outside of what is simulated
   */
  handle(target: string, input: object, conflicts = false): object {
    const operation = target.slice(target.indexOf(".") + 1);
    switch (operation) {
      case "GetItem":
        return this.#getItem(input as GetItemCommandInput);
      case "PutItem":
        return this.#putItem(input as PutItemCommandInput);
      case "UpdateItem":
        return this.#updateItem(input as UpdateItemCommandInput);
      case "DeleteItem":
        return this.#deleteItem(input as DeleteItemCommandInput);
      case "Query":
        return this.#query(input as QueryCommandInput);
      case "TransactWriteItems":
        return this.#transactWriteItems(input as TransactWriteItemsCommandInput, conflicts);
      case "BatchWriteItem":
        return this.#batchWriteItem(input as BatchWriteItemCommandInput);
      default:
        throw new NotSimulated(`The operation ${operation} is not simulated.`);
    }
  }

  /** The shards of the stream, which other code reads as often as it likes. */
  get shards(): readonly Shard[] {
    return this.#stream?.shards ?? [];
  }

  /** Every item as it is, as copies: what the table contains, for checks of the simulation. */
  *items(): Generator<Item> {
    for (const { item } of this.#store.items()) yield copyOf(item);
  }

  /**
   * Removes items that have expired. DynamoDB does so within days (Amazon DynamoDB Developer Guide, "Time to
   * Live"): reads return them until then.
   *
   * @param selects which of the expired items are removed this time
   * @returns how many were removed
   */
  removeExpired(selects: (key: Key) => boolean = () => true): number {
    const seconds = this.#now() / 1000;
    let removed = 0;
    for (const key of this.#expiring.values()) {
      const item = this.#store.get(key);
      const expiry = item && this.#expiryOf(item);
      if (expiry === undefined || expiry >= seconds) continue;
      if (expiry < seconds - LONGEST_EXPIRED_SECONDS || !selects(key)) continue;
      this.#commit(key, item, undefined, { isExpiry: true });
      removed += 1;
    }
    return removed;
  }

  #expiryOf(item: Item): number | undefined {
    const value = this.#timeToLive === undefined ? undefined : attributeOf(item, this.#timeToLive);
    return value && "N" in value ? Number(value.N) : undefined;
  }

  #getItem(input: GetItemCommandInput): Omit<GetItemCommandOutput, "$metadata"> {
    assertMembers(
      input,
      "TableName",
      "Key",
      "ConsistentRead",
      "ProjectionExpression",
      "ExpressionAttributeNames",
    );
    this.#assertTable(input.TableName);
    const key = this.#key(input.Key);
    const projection = optional(input.ProjectionExpression, parseProjection);
    const placeholders = new Placeholders({ ExpressionAttributeNames: input.ExpressionAttributeNames }, [
      projection,
    ]);
    const paths = projection && resolvedPaths(projection, placeholders);
    const item = this.#store.get(key, this.#asOf(input.ConsistentRead));
    return item ? { Item: copyOf(paths ? projected(item, paths) : item) } : {};
  }

  /** The moment whose state a read returns. */
  #asOf(isConsistent: boolean | undefined): number {
    if (isConsistent) return Number.POSITIVE_INFINITY;
    return this.#now() - Math.floor(this.#random() * (this.#stalenessMs + 1));
  }

  #putItem(input: PutItemCommandInput): Omit<PutItemCommandOutput, "$metadata"> {
    assertMembers(input, ...PUT_MEMBERS, "ReturnValues");
    assertReturnValues(input.ReturnValues, "NONE", "ALL_OLD");
    const { before } = this.#write(this.#planPut(input));
    return input.ReturnValues === "ALL_OLD" && before ? { Attributes: copyOf(before) } : {};
  }

  #updateItem(input: UpdateItemCommandInput): Omit<UpdateItemCommandOutput, "$metadata"> {
    assertMembers(input, ...UPDATE_MEMBERS, "ReturnValues");
    assertReturnValues(input.ReturnValues, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW");
    const { names, isWithin, ...write } = this.#planUpdate(input);
    if (isWithin && input.ReturnValues?.startsWith("UPDATED")) {
      throw new NotSimulated(`AWS does not document ${input.ReturnValues} of an update within an attribute.`);
    }
    const { before, after } = this.#write(write);
    switch (input.ReturnValues) {
      case "ALL_OLD":
        return returned(before);
      case "ALL_NEW":
        return returned(after);
      case "UPDATED_OLD":
        return returned(before && attributesOf(before, names));
      case "UPDATED_NEW":
        return returned(after && attributesOf(after, names));
      default:
        return {};
    }
  }

  #deleteItem(input: DeleteItemCommandInput): Omit<DeleteItemCommandOutput, "$metadata"> {
    assertMembers(input, ...CHECK_MEMBERS, "ReturnValues");
    assertReturnValues(input.ReturnValues, "NONE", "ALL_OLD");
    const { before } = this.#write(this.#planDelete(input));
    return input.ReturnValues === "ALL_OLD" && before ? { Attributes: copyOf(before) } : {};
  }

  /** Deletes only, and all of them: DynamoDB may leave some unprocessed. */
  #batchWriteItem({ RequestItems, ...others }: BatchWriteItemCommandInput): object {
    assertMembers(others);
    for (const [TableName, requests] of Object.entries(RequestItems ?? {})) {
      // Amazon DynamoDB API Reference, "BatchWriteItem".
      if (requests.length < 1 || requests.length > 25) {
        throw new ValidationException("A batch must have 1 to 25 requests.");
      }
      for (const { DeleteRequest } of requests) {
        if (!DeleteRequest) throw new NotSimulated("A put of a batch is not simulated.");
        this.#deleteItem({ TableName, Key: DeleteRequest.Key });
      }
    }
    return { UnprocessedItems: {} };
  }

  #write(write: Write): { readonly before: Item | undefined; readonly after: Item | undefined } {
    write.assertStorable();
    const before = this.#store.get(write.key);
    if (!write.isAllowed(before)) {
      throw conditionalCheckFailed(write.returnsFailed && before ? copyOf(before) : undefined);
    }
    const after = write.after(before);
    this.#commit(write.key, before, after);
    return { before, after };
  }

  #commit(
    key: Key,
    before: Item | undefined,
    after: Item | undefined,
    { isExpiry = false }: { readonly isExpiry?: boolean } = {},
  ): void {
    // A write that changes nothing leaves no record (Amazon DynamoDB Developer Guide, "Change data capture").
    const isUnchanged = before && after ? isSameItem(before, after) : before === after;
    if (isUnchanged) return;
    const at = this.#now();
    this.#store.put(key, after, at);
    if (after && this.#expiryOf(after) !== undefined) this.#expiring.set(nameOf(key), key);
    else if (before && this.#expiryOf(before) !== undefined) this.#expiring.delete(nameOf(key));
    const keys = { [this.#keys.partition]: { S: key.pk }, [this.#keys.sort]: { S: key.sk } };
    this.#stream?.append(key.pk, { keys, before, after, at, isExpiry });
  }

  #planPut(input: Omit<PutItemCommandInput, "ReturnValues">): Write {
    this.#assertTable(input.TableName);
    const item = storedItem(input.Item ?? {});
    for (const name of this.#keyNames) {
      if (attributeOf(item, name)) continue;
      throw new ValidationException(
        `One or more parameter values were invalid: Missing the key ${name} in the item`,
      );
    }
    const key = this.#keyOf(attributesOf(item, this.#keyNames));
    return {
      ...this.#conditionOf(input),
      key,
      assertStorable: () => {
        this.#assertIndexKeys(item);
        assertSize(item, "Item size has exceeded the maximum allowed size");
      },
      after: () => item,
    };
  }

  #planUpdate(
    input: Omit<UpdateItemCommandInput, "ReturnValues">,
  ): Write & { readonly names: string[]; readonly isWithin: boolean } {
    this.#assertTable(input.TableName);
    const keyItem = storedItem(input.Key ?? {});
    const key = this.#keyOf(keyItem);
    const update = optional(input.UpdateExpression, parseUpdate);
    const { placeholders, ...condition } = this.#conditionOf(input, update);
    if (update) assertUpdate(update, placeholders, this.#keyNames);
    return {
      ...condition,
      key,
      names: update ? updatedAttributes(update.root, placeholders) : [],
      isWithin: update?.root.some(({ path }) => path.length > 1) ?? false,
      assertStorable: () => {},
      after: (before) => {
        const item = before ?? keyItem;
        if (!update) return item;
        const after = updated(item, update.root, placeholders);
        this.#assertIndexKeys(after);
        assertSize(after, "Item size to update has exceeded the maximum allowed size");
        return after;
      },
    };
  }

  #planDelete(input: Omit<DeleteItemCommandInput, "ReturnValues">): Write {
    return { ...this.#planCheck(input), after: () => undefined };
  }

  #planCheck(input: Omit<DeleteItemCommandInput, "ReturnValues">): Write {
    this.#assertTable(input.TableName);
    return {
      key: this.#key(input.Key),
      ...this.#conditionOf(input),
      assertStorable: () => {},
      after: (before) => before,
    };
  }

  #conditionOf(
    input: Omit<DeleteItemCommandInput, "ReturnValues" | "Key">,
    ...others: readonly (Parsed<unknown> | undefined)[]
  ): Pick<Write, "isAllowed" | "returnsFailed"> & { readonly placeholders: Placeholders } {
    const { ReturnValuesOnConditionCheckFailure: returns = "NONE" } = input;
    if (returns !== "NONE" && returns !== "ALL_OLD") {
      throw new ValidationException(
        `Value '${returns}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
      );
    }
    const condition = optional(input.ConditionExpression, parseCondition);
    const placeholders = new Placeholders(input, [condition, ...others]);
    if (condition) assertOperands(condition, placeholders);
    return {
      placeholders,
      returnsFailed: returns === "ALL_OLD",
      isAllowed: (item) => !condition || holds(condition.root, item ?? {}, placeholders),
    };
  }

  /** A secondary index takes no item whose key attribute there is no string, or empty. */
  #assertIndexKeys(item: Item): void {
    for (const [indexName, { keys }] of this.#indexes) {
      for (const name of [keys.partition, keys.sort]) {
        const value = attributeOf(item, name);
        if (!value) continue;
        if (!("S" in value)) {
          throw new ValidationException(
            `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: S IndexName: ${indexName}`,
          );
        }
        if (value.S === "") {
          throw new ValidationException(
            `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${indexName}, IndexKey: ${name}`,
          );
        }
      }
    }
  }

  #transactWriteItems(input: TransactWriteItemsCommandInput, conflicts: boolean): object {
    assertMembers(input, "TransactItems", "ClientRequestToken");
    const { TransactItems: actions = [], ClientRequestToken: token } = input;
    if (actions.length < 1 || actions.length > TRANSACTION_ACTIONS) {
      throw new ValidationException(
        `Value at 'transactItems' failed to satisfy constraint: Member must have length from 1 to ${TRANSACTION_ACTIONS}`,
      );
    }
    if (token !== undefined && this.#isRepeated(token, actions)) return {};
    if (conflicts) throw transactionCanceled(actions.map(() => ({ Code: "TransactionConflict" })));
    const writes = actions.map((action) => this.#planAction(action));
    if (new Set(writes.map(({ key }) => nameOf(key))).size < writes.length) {
      throw new ValidationException("Transaction request cannot include multiple operations on one item");
    }
    const outcomes = writes.map((write) => this.#outcomeOf(write));
    if (outcomes.some(({ reason }) => reason.Code !== "None")) {
      throw transactionCanceled(outcomes.map(({ reason }) => reason));
    }
    if (outcomes.reduce((bytes, { after }) => bytes + (after ? sizeOf(after) : 0), 0) > TRANSACTION_BYTES) {
      throw new ValidationException("The aggregate size of the items of the transaction exceeds 4 MB");
    }
    for (const { key, before, after } of outcomes) this.#commit(key, before, after);
    if (token !== undefined) {
      this.#tokens.set(token, { at: this.#now(), request: JSON.stringify(actions) });
    }
    return {};
  }

  /** @throws IdempotentParameterMismatchException when the token stood for another request */
  #isRepeated(token: string, actions: readonly TransactWriteItem[]): boolean {
    for (const [known, { at }] of this.#tokens) {
      if (at > this.#now() - TOKEN_MS) break;
      this.#tokens.delete(known);
    }
    const earlier = this.#tokens.get(token);
    if (earlier && earlier.request !== JSON.stringify(actions)) throw idempotentParameterMismatch();
    return earlier !== undefined;
  }

  #planAction(action: TransactWriteItem): Write {
    const [kind, ...more] = Object.entries(action).filter(([, input]) => input !== undefined);
    if (!kind || more.length > 0) {
      throw new ValidationException("TransactItems can only contain one of Check, Put, Update or Delete");
    }
    const { Put, Update, Delete, ConditionCheck } = action;
    if (Put) {
      assertMembers(Put, ...PUT_MEMBERS);
      return this.#planPut(Put);
    }
    if (Update) {
      assertMembers(Update, ...UPDATE_MEMBERS);
      if (Update.UpdateExpression === undefined) throw required("updateExpression");
      return this.#planUpdate(Update);
    }
    if (Delete) {
      assertMembers(Delete, ...CHECK_MEMBERS);
      return this.#planDelete(Delete);
    }
    if (!ConditionCheck) throw new NotSimulated(`${kind[0]} in a transaction is not simulated.`);
    assertMembers(ConditionCheck, ...CHECK_MEMBERS);
    if (ConditionCheck.ConditionExpression === undefined) throw required("conditionExpression");
    return this.#planCheck(ConditionCheck);
  }

  #outcomeOf(write: Write) {
    const { key } = write;
    const before = this.#store.get(key);
    const outcome = (reason: CancellationReason, after?: Item) => ({ key, before, after, reason });
    try {
      write.assertStorable();
      if (!write.isAllowed(before)) {
        return outcome({
          Code: "ConditionalCheckFailed",
          Message: "The conditional request failed",
          ...(write.returnsFailed && before && { Item: copyOf(before) }),
        });
      }
      return outcome({ Code: "None" }, write.after(before));
    } catch (error) {
      // What depends on the item cancels (Amazon DynamoDB API Reference, TransactWriteItems, "ValidationError").
      if (!(error instanceof ValidationException)) throw error;
      return outcome({ Code: "ValidationError", Message: error.message });
    }
  }

  #query(input: QueryCommandInput): Omit<QueryCommandOutput, "$metadata"> {
    assertMembers(input, ...QUERY_MEMBERS);
    this.#assertTable(input.TableName);
    const { Limit, IndexName, ScanIndexForward: isForward = true } = input;
    if (Limit !== undefined && Limit < 1) {
      throw new ValidationException("Limit must be greater than or equal to 1");
    }
    const index = IndexName === undefined ? undefined : this.#indexes.get(IndexName);
    if (IndexName !== undefined && !index) {
      throw new ValidationException(`The table does not have the specified index: ${IndexName}`);
    }
    if (index && input.ConsistentRead) {
      throw new ValidationException("Consistent reads are not supported on global secondary indexes");
    }
    if (input.KeyConditionExpression === undefined) {
      throw new ValidationException(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
      );
    }
    const keys = index?.keys ?? this.#keys;
    const condition = parseKeyCondition(input.KeyConditionExpression);
    const filter = optional(input.FilterExpression, parseFilter);
    const projection = optional(input.ProjectionExpression, parseProjection);
    const placeholders = new Placeholders(input, [condition, filter, projection]);
    assertOperands(condition, placeholders);
    const { partition, range } = keyCondition(condition.root, keys, placeholders);
    if (filter) {
      assertOperands(filter, placeholders);
      this.#assertFilter(filter, keys, index, placeholders);
    }
    const paths = projection && resolvedPaths(projection, placeholders);
    assertProjects(IndexName, index, paths ?? []);

    const items: Item[] = [];
    let [scanned, bytes] = [0, 0];
    let last: { readonly item: Item } | undefined;
    let hasMore = false;
    for (const found of this.#store.query({
      indexName: IndexName,
      partition,
      range,
      isForward,
      after: input.ExclusiveStartKey && this.#startKey(input.ExclusiveStartKey, keys, partition, range),
      asOf: this.#asOf(input.ConsistentRead),
    })) {
      if (bytes >= this.#pageBytes) {
        hasMore = true;
        break;
      }
      last = found;
      scanned += 1;
      const item = index?.attributes ? attributesOf(found.item, index.attributes) : found.item;
      bytes += sizeOf(item);
      if (!filter || holds(filter.root, item, placeholders)) {
        items.push(copyOf(paths ? projected(item, paths) : item));
      }
      if (scanned === Limit) {
        hasMore = true;
        break;
      }
    }
    return {
      Items: items,
      Count: items.length,
      ScannedCount: scanned,
      ...(hasMore && last && { LastEvaluatedKey: copyOf(attributesOf(last.item, this.#placeNames(keys))) }),
    };
  }

  /** The attributes that say where an item is in the table or in an index. */
  #placeNames({ partition, sort }: KeyAttributes): string[] {
    return [...new Set([...this.#keyNames, partition, sort])];
  }

  #startKey(start: object, keys: KeyAttributes, partition: string, range: SortRange) {
    const names = this.#placeNames(keys);
    const item = storedItem(start);
    const texts = new Map(names.map((name, index) => [name, keyTexts(item, names)[index] ?? ""] as const));
    const text = (name: string) => texts.get(name) ?? "";
    const sort = text(keys.sort);
    if (text(keys.partition) !== partition || range.isBefore(sort) || range.isAfter(sort)) {
      throw new ValidationException("The provided starting key is outside query boundaries");
    }
    return { pk: text(this.#keys.partition), sk: text(this.#keys.sort), sort };
  }

  #assertFilter(
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

  #assertTable(name: string | undefined): void {
    if (name !== this.#name) throw noSuchTable();
  }

  #key(key: object | undefined): Key {
    return this.#keyOf(storedItem(key ?? {}));
  }

  #keyOf(key: Item): Key {
    const [pk = "", sk = ""] = keyTexts(key, this.#keyNames);
    if (Buffer.byteLength(pk) > PARTITION_KEY_BYTES || Buffer.byteLength(sk) > SORT_KEY_BYTES) {
      throw new ValidationException(
        `One or more parameter values were invalid: Size of the partition key has exceeded ${PARTITION_KEY_BYTES} bytes, or that of the sort key ${SORT_KEY_BYTES} bytes`,
      );
    }
    return { pk, sk };
  }
}

const CHECK_MEMBERS = [
  "TableName",
  "Key",
  "ConditionExpression",
  "ExpressionAttributeNames",
  "ExpressionAttributeValues",
  "ReturnValuesOnConditionCheckFailure",
];
const UPDATE_MEMBERS = [...CHECK_MEMBERS, "UpdateExpression"];
const PUT_MEMBERS = [...CHECK_MEMBERS.filter((member) => member !== "Key"), "Item"];
const QUERY_MEMBERS = [
  "TableName",
  "IndexName",
  "KeyConditionExpression",
  "FilterExpression",
  "ProjectionExpression",
  "ExpressionAttributeNames",
  "ExpressionAttributeValues",
  "ConsistentRead",
  "ScanIndexForward",
  "ExclusiveStartKey",
  "Limit",
];

/** @throws NotSimulated when a request has a member that the simulation would ignore */
function assertMembers(input: object, ...members: readonly string[]): void {
  for (const [member, value] of Object.entries(input)) {
    if (value !== undefined && !members.includes(member)) {
      throw new NotSimulated(`The parameter ${member} is not simulated.`);
    }
  }
}

function assertReturnValues(given: string | undefined, ...allowed: readonly string[]): void {
  if (given !== undefined && !allowed.includes(given)) {
    throw new ValidationException("Return values set to invalid value");
  }
}

function assertSize(item: Item, message: string): void {
  if (sizeOf(item) > ITEM_BYTES) throw new ValidationException(message);
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

function required(member: string): ValidationException {
  return new ValidationException(
    `Value null at '${member}' failed to satisfy constraint: Member must not be null`,
  );
}

/** A text that no other key has. */
function nameOf({ pk, sk }: Key): string {
  return `${pk.length}:${pk}${sk}`;
}

function keyAttributes(schema: TableDefinition["keys"]): KeyAttributes {
  const name = (type: "HASH" | "RANGE") => {
    const attribute = schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
    if (attribute === undefined)
      throw new NotSimulated("A table or index without a sort key is not simulated.");
    return attribute;
  };
  return { partition: name("HASH"), sort: name("RANGE") };
}

function optional<Root>(
  text: string | undefined,
  parse: (text: string) => Parsed<Root>,
): Parsed<Root> | undefined {
  return text === undefined ? undefined : parse(text);
}

function attributesOf(item: Item, names: readonly string[]): Item {
  const attributes: Item = {};
  for (const name of names) {
    const value: Value | undefined = attributeOf(item, name);
    if (value) attributes[name] = value;
  }
  return attributes;
}

function returned(attributes: Item | undefined): { Attributes?: Item } {
  const isEmpty = !attributes || Object.keys(attributes).length === 0;
  return isEmpty ? {} : { Attributes: copyOf(attributes) };
}

/** The attributes that a condition names. */
function attributesIn(condition: unknown, placeholders: Placeholders): string[] {
  if (typeof condition !== "object" || condition === null) return [];
  if ("path" in condition && Array.isArray(condition.path)) return [placeholders.name(condition.path[0])];
  return Object.values(condition).flatMap((part) => attributesIn(part, placeholders));
}
