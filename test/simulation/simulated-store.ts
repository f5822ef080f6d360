import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../../tools/simulation/dynamodb/document-client.ts";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { SimulatedTable } from "../../tools/simulation/dynamodb/simulated-table.ts";
import { clientAround, sentAgain } from "../builders/client-around.ts";

export const BEGINNING = Date.parse("2026-06-01T12:00:00.000Z");

/** The service's table, empty, on a clock that the test sets, and a document client for it. */
export class SimulatedStore {
  readonly tableName = serviceTable.name;
  readonly table: SimulatedTable;
  readonly client: DynamoDBDocumentClient;
  milliseconds = BEGINNING;
  /** How old the states are that eventually consistent reads return: 0 for none, near 1 for the oldest. */
  staleness = 0;

  constructor(definition = serviceTable) {
    this.table = new SimulatedTable(definition, {
      now: () => this.milliseconds,
      random: () => this.staleness,
    });
    this.client = documentClient((target, input) => this.table.handle(target, input), {
      removeUndefinedValues: true,
    });
  }

  /** The client. The response to the first such request that is done is lost, so the SDK repeats the request. */
  losingAResponse(isSuch = (command: object) => !(command instanceof GetCommand)): DynamoDBDocumentClient {
    let lost = false;
    return clientAround(this.client, async ({ command }, send) => {
      const output = await send();
      if (lost || !isSuch(command)) return output;
      lost = true;
      return sentAgain(send);
    });
  }

  readonly now = (): Date => new Date(this.milliseconds);

  pass(milliseconds: number): void {
    this.milliseconds += milliseconds;
  }
}
