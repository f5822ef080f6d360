import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

type Command = Parameters<DynamoDBDocumentClient["send"]>[0];

/** What a client is asked to do. */
export interface Asked {
  readonly command: Command;
  /** The command's name, as `Put`. */
  readonly name: string;
  /** The sort key of its item; empty for a query and a transaction. */
  readonly sk: string;
  /** The name and the kind of item, as `Put PART`. */
  readonly what: string;
}

/** A client each of whose requests goes through `around`, which may delay, repeat or refuse it, or respond instead. */
export function clientAround(
  client: DynamoDBDocumentClient,
  around: (asked: Asked, send: () => Promise<unknown>) => Promise<unknown>,
): DynamoDBDocumentClient {
  const send = (command: Command) => around(askedBy(command), () => client.send(command));
  return Object.create(client, { send: { value: send } });
}

function askedBy(command: Command): Asked {
  const { Key, Item } = command.input as { Key?: { sk: string }; Item?: { sk: string } };
  const name = command.constructor.name.replace("Command", "");
  const { sk = "" } = Key ?? Item ?? {};
  return { command, name, sk, what: `${name} ${sk.split("#")[0]}` };
}

/** Sends a request as the SDK does that repeats it: an error then says that there were two attempts. */
export function sentAgain(send: () => Promise<unknown>): Promise<unknown> {
  return send().catch((error: { $metadata: object }) => {
    error.$metadata = { ...error.$metadata, attempts: 2 };
    throw error;
  });
}
