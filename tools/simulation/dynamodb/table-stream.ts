import type { _Record as StreamRecord, StreamViewType } from "@aws-sdk/client-dynamodb-streams";
import { copyOf, type Item, sizeOf } from "./attribute-value.ts";

/** A change of an item as the stream is to show it. */
interface ItemChange {
  readonly keys: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** When it was, in ms. */
  readonly at: number;
  /** Whether it is an expired item that DynamoDB itself has removed. */
  readonly isExpiry: boolean;
}

interface Written extends ItemChange {
  readonly sequenceNumber: number;
}

/** The length of a sequence number, in digits (Amazon DynamoDB Streams API Reference, StreamRecord: 21 to 40). */
const SEQUENCE_DIGITS = 21;

/** One shard of the stream: records in the order of their changes, numbered from 0. */
class Shard {
  readonly shardId: string;
  readonly #view: StreamViewType;
  readonly #written: Written[] = [];
  readonly #records: StreamRecord[] = [];

  constructor(shardId: string, view: StreamViewType) {
    this.shardId = shardId;
    this.#view = view;
  }

  get length(): number {
    return this.#written.length;
  }

  append(change: Written): void {
    this.#written.push(change);
    this.#records.push(recordOf(change, this.#view, (item) => item));
  }

  /** Records from a position on, at most as many as `limit`; copies, however often they are read. */
  read(position: number, limit = Number.POSITIVE_INFINITY): StreamRecord[] {
    return this.#written
      .slice(position, position + limit)
      .map((written) => recordOf(written, this.#view, copyOf));
  }

  /**
   * The same records for the simulation itself: they share what they hold with the table, and are not to be changed.
   */
  shared(position: number, limit = Number.POSITIVE_INFINITY): readonly StreamRecord[] {
    return this.#records.slice(position, position + limit);
  }
}

export type { Shard };

/** The stream of a table. All records of an item are in one shard, in the order of its changes. */
export class TableStream {
  readonly shards: readonly Shard[];
  #lastSequenceNumber = 0;

  constructor(view: StreamViewType, shards: number) {
    this.shards = Array.from(
      { length: shards },
      (_, index) => new Shard(`shardId-${String(index).padStart(20, "0")}`, view),
    );
  }

  /** @param partition the item's partition key, which chooses the shard */
  append(partition: string, change: ItemChange): void {
    this.#lastSequenceNumber += 1;
    const shard = this.shards[hashOf(partition) % this.shards.length];
    shard?.append({ ...change, sequenceNumber: this.#lastSequenceNumber });
  }
}

function recordOf(written: Written, view: StreamViewType, imageOf: (item: Item) => Item): StreamRecord {
  const { keys, before, after, at, sequenceNumber, isExpiry } = written;
  const newImage = view === "NEW_IMAGE" || view === "NEW_AND_OLD_IMAGES" ? after : undefined;
  const oldImage = view === "OLD_IMAGE" || view === "NEW_AND_OLD_IMAGES" ? before : undefined;
  return {
    eventID: sequenceNumber.toString(16).padStart(32, "0"),
    eventName: eventName(written),
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: "us-east-1",
    dynamodb: {
      // "Rounded down to the closest second" (Amazon DynamoDB Streams API Reference, StreamRecord).
      ApproximateCreationDateTime: new Date(Math.floor(at / 1000) * 1000),
      Keys: imageOf(keys),
      ...(newImage && { NewImage: imageOf(newImage) }),
      ...(oldImage && { OldImage: imageOf(oldImage) }),
      SequenceNumber: String(sequenceNumber).padStart(SEQUENCE_DIGITS, "0"),
      SizeBytes: sizeOf(keys) + (newImage ? sizeOf(newImage) : 0) + (oldImage ? sizeOf(oldImage) : 0),
      StreamViewType: view,
    },
    // What marks an expiry (Amazon DynamoDB Streams API Reference, Identity).
    ...(isExpiry && { userIdentity: { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" } }),
  };
}

function eventName({ before, after }: ItemChange): "INSERT" | "MODIFY" | "REMOVE" {
  if (!before) return "INSERT";
  return after ? "MODIFY" : "REMOVE";
}

/** FNV-1a, 32 bits: spreads keys evenly and is the same in every run. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
