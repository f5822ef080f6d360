import type {
  CancellationReason,
  TransactWriteItem,
  TransactWriteItemsCommandInput,
} from "@aws-sdk/client-dynamodb";
import { copyOf, type Item, sizeOf } from "./attribute-value.ts";
import {
  idempotentParameterMismatch,
  NotSimulated,
  transactionCanceled,
  ValidationException,
} from "./errors.ts";
import { type PlannedWrite, planCheck, planDelete, planPut, planUpdate } from "./planned-write.ts";
import { assertMembers, CHECK_MEMBERS, PUT_MEMBERS, required, UPDATE_MEMBERS } from "./request-parameters.ts";
import type { TableItems } from "./table-items.ts";
import { nameOf, type TableSchema } from "./table-schema.ts";

/** Actions and bytes of a transaction (Amazon DynamoDB Developer Guide, "Amazon DynamoDB Transactions"). */
const TRANSACTION_ACTIONS = 100;
const TRANSACTION_BYTES = 4 * 1024 * 1024;
/** How long a client token stands for its request (the same page): 10 minutes. */
const TOKEN_MS = 10 * 60_000;

/** The transactions on a table, and the client tokens of those that were written. */
export class Transactions {
  readonly #schema: TableSchema;
  readonly #items: TableItems;
  readonly #now: () => number;
  readonly #tokens = new Map<string, { readonly at: number; readonly request: string }>();

  constructor(schema: TableSchema, items: TableItems, now: () => number) {
    this.#schema = schema;
    this.#items = items;
    this.#now = now;
  }

  write(input: TransactWriteItemsCommandInput, conflicts: boolean): object {
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
    for (const { key, before, after } of outcomes) this.#items.commit(key, before, after);
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

  #planAction(action: TransactWriteItem): PlannedWrite {
    const [kind, ...more] = Object.entries(action).filter(([, input]) => input !== undefined);
    if (!kind || more.length > 0) {
      throw new ValidationException("TransactItems can only contain one of Check, Put, Update or Delete");
    }
    const { Put, Update, Delete, ConditionCheck } = action;
    if (Put) {
      assertMembers(Put, ...PUT_MEMBERS);
      return planPut(Put, this.#schema);
    }
    if (Update) {
      assertMembers(Update, ...UPDATE_MEMBERS);
      if (Update.UpdateExpression === undefined) throw required("updateExpression");
      return planUpdate(Update, this.#schema);
    }
    if (Delete) {
      assertMembers(Delete, ...CHECK_MEMBERS);
      return planDelete(Delete, this.#schema);
    }
    if (!ConditionCheck) throw new NotSimulated(`${kind[0]} in a transaction is not simulated.`);
    assertMembers(ConditionCheck, ...CHECK_MEMBERS);
    if (ConditionCheck.ConditionExpression === undefined) throw required("conditionExpression");
    return planCheck(ConditionCheck, this.#schema);
  }

  #outcomeOf(write: PlannedWrite) {
    const { key } = write;
    const before = this.#items.present(key);
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
}
