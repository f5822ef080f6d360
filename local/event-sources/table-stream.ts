import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import type { Position } from "./checkpoints.ts";

/** The stream of a table in the DynamoDB Streams API: shards, and the records of each in order. */
export class TableStream {
  readonly arn: string;
  readonly #client: DynamoDBStreamsClient;

  private constructor(client: DynamoDBStreamsClient, arn: string) {
    this.#client = client;
    this.arn = arn;
  }

  /** The newest stream of a table, or undefined if the table has none. */
  static async of(client: DynamoDBStreamsClient, TableName: string): Promise<TableStream | undefined> {
    const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName }));
    const newest = Streams.sort((left, right) =>
      (left.StreamLabel ?? "").localeCompare(right.StreamLabel ?? ""),
    ).at(-1);
    return newest?.StreamArn === undefined ? undefined : new TableStream(client, newest.StreamArn);
  }

  async shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    let last: string | undefined;
    do {
      const { StreamDescription } = await this.#client.send(
        new DescribeStreamCommand({
          StreamArn: this.arn,
          ...(last !== undefined && { ExclusiveStartShardId: last }),
        }),
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      last = StreamDescription?.LastEvaluatedShardId;
    } while (last !== undefined);
    return shards;
  }

  /** The sequence number of the last record of a shard; undefined if it has none. */
  async lastOf(shardId: string): Promise<string | undefined> {
    let last: string | undefined;
    let iterator = await this.#beginningOf(shardId);
    while (iterator !== undefined) {
      const page = await this.#client.send(new GetRecordsCommand({ ShardIterator: iterator }));
      if (!page.Records?.length) return last;
      last = page.Records.at(-1)?.dynamodb?.SequenceNumber;
      iterator = page.NextShardIterator;
    }
    return last;
  }

  /** The shard iterator for a position. */
  async iteratorAt(shardId: string, position: Position): Promise<string | undefined> {
    if (position.kind !== "after") return this.#beginningOf(shardId);
    try {
      const { ShardIterator } = await this.#client.send(
        new GetShardIteratorCommand({
          StreamArn: this.arn,
          ShardId: shardId,
          ShardIteratorType: "AFTER_SEQUENCE_NUMBER",
          SequenceNumber: position.sequenceNumber,
        }),
      );
      return ShardIterator;
    } catch (error) {
      // A stream keeps records for 24 hours. The rest of the shard begins after the saved position.
      if (error instanceof TrimmedDataAccessException) return this.#beginningOf(shardId);
      throw error;
    }
  }

  /**
   * The next records of a shard, and the iterator that follows them; none after the shard's last. Undefined if the
   * iterator has expired: it is valid for 15 minutes (API reference, GetShardIterator), also while the machine sleeps.
   */
  async recordsAt(iterator: string) {
    try {
      const { Records = [], NextShardIterator } = await this.#client.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: 1000 }),
      );
      return { records: Records, iterator: NextShardIterator };
    } catch (error) {
      if (error instanceof ExpiredIteratorException) return undefined;
      throw error;
    }
  }

  async #beginningOf(ShardId: string): Promise<string | undefined> {
    const { ShardIterator } = await this.#client.send(
      new GetShardIteratorCommand({ StreamArn: this.arn, ShardId, ShardIteratorType: "TRIM_HORIZON" }),
    );
    return ShardIterator;
  }
}
