import type {
  BatchWriteItemCommandInput,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from "@aws-sdk/client-dynamodb";
import type { TableDefinition } from "../../../local/dynamodb/tables.ts";
import { copyOf, type Item } from "./attribute-value.ts";
import { conditionalCheckFailed, NotSimulated, ValidationException } from "./errors.ts";
import type { Key } from "./item-store.ts";
import { Placeholders } from "./placeholders.ts";
import { type PlannedWrite, planDelete, planPut, planUpdate } from "./planned-write.ts";
import { parseProjection, projected, resolvedPaths } from "./projection-expression.ts";
import { query } from "./query.ts";
import {
  assertMembers,
  assertReturnValues,
  CHECK_MEMBERS,
  optional,
  PUT_MEMBERS,
  UPDATE_MEMBERS,
} from "./request-parameters.ts";
import { type ItemDependencies, TableItems } from "./table-items.ts";
import { attributesOf, TableSchema } from "./table-schema.ts";
import type { Shard } from "./table-stream.ts";
import { Transactions } from "./transactions.ts";

/** What a query reads before it returns a page (Amazon DynamoDB Developer Guide, "Paginating the results"). */
const PAGE_BYTES = 1024 * 1024;

/** What the simulation decides. */
interface Dependencies extends ItemDependencies {
  /** What a query reads before it returns a page, in bytes; absent for AWS's own. */
  readonly pageBytes?: number | undefined;
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
  readonly #schema: TableSchema;
  readonly #items: TableItems;
  readonly #transactions: Transactions;
  readonly #pageBytes: number;

  constructor(definition: TableDefinition, dependencies: Dependencies) {
    const { now, pageBytes = PAGE_BYTES } = dependencies;
    this.#schema = new TableSchema(definition);
    this.#items = new TableItems(this.#schema, definition.stream, dependencies);
    this.#transactions = new Transactions(this.#schema, this.#items, now);
    this.#pageBytes = pageBytes;
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
        return query(input as QueryCommandInput, this.#schema, this.#items, this.#pageBytes);
      case "TransactWriteItems":
        return this.#transactions.write(input as TransactWriteItemsCommandInput, conflicts);
      case "BatchWriteItem":
        return this.#batchWriteItem(input as BatchWriteItemCommandInput);
      default:
        throw new NotSimulated(`The operation ${operation} is not simulated.`);
    }
  }

  /** The shards of the stream, which other code reads as often as it likes. */
  get shards(): readonly Shard[] {
    return this.#items.shards;
  }

  /** Every item as it is, as copies: what the table contains, for checks of the simulation. */
  items(): Generator<Item> {
    return this.#items.copies();
  }

  /**
   * Removes items that have expired. DynamoDB does so within days (Amazon DynamoDB Developer Guide, "Time to
   * Live"): reads return them until then.
   *
   * @param selects which of the expired items are removed this time
   * @returns how many were removed
   */
  removeExpired(selects?: (key: Key) => boolean): number {
    return this.#items.removeExpired(selects);
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
    this.#schema.assertName(input.TableName);
    const key = this.#schema.key(input.Key);
    const projection = optional(input.ProjectionExpression, parseProjection);
    const placeholders = new Placeholders({ ExpressionAttributeNames: input.ExpressionAttributeNames }, [
      projection,
    ]);
    const paths = projection && resolvedPaths(projection, placeholders);
    const item = this.#items.read(key, input.ConsistentRead);
    return item ? { Item: copyOf(paths ? projected(item, paths) : item) } : {};
  }

  #putItem(input: PutItemCommandInput): Omit<PutItemCommandOutput, "$metadata"> {
    assertMembers(input, ...PUT_MEMBERS, "ReturnValues");
    assertReturnValues(input.ReturnValues, "NONE", "ALL_OLD");
    const { before } = this.#write(planPut(input, this.#schema));
    return input.ReturnValues === "ALL_OLD" && before ? { Attributes: copyOf(before) } : {};
  }

  #updateItem(input: UpdateItemCommandInput): Omit<UpdateItemCommandOutput, "$metadata"> {
    assertMembers(input, ...UPDATE_MEMBERS, "ReturnValues");
    assertReturnValues(input.ReturnValues, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW");
    const { names, isWithin, ...write } = planUpdate(input, this.#schema);
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
    const { before } = this.#write(planDelete(input, this.#schema));
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

  #write(write: PlannedWrite): { readonly before: Item | undefined; readonly after: Item | undefined } {
    write.assertStorable();
    const before = this.#items.present(write.key);
    if (!write.isAllowed(before)) {
      throw conditionalCheckFailed(write.returnsFailed && before ? copyOf(before) : undefined);
    }
    const after = write.after(before);
    this.#items.commit(write.key, before, after);
    return { before, after };
  }
}

function returned(attributes: Item | undefined): { Attributes?: Item } {
  const isEmpty = !attributes || Object.keys(attributes).length === 0;
  return isEmpty ? {} : { Attributes: copyOf(attributes) };
}
