import * as z from "zod";
import { CommandError } from "../machine/command-error.ts";
import { functionNameIn, type Template } from "../template.ts";
import { parsePattern, type RecordFilter } from "./record-filter.ts";

/** With the bounds of CloudFormation's reference. */
const EventSourceMapping = z.object({
  FunctionName: z.string(),
  EventSourceArn: z.string(),
  Enabled: z.boolean().default(true),
  BatchSize: z.coerce.number().int().min(1).max(10_000).optional(),
  MaximumBatchingWindowInSeconds: z.coerce.number().default(0),
  FunctionResponseTypes: z.array(z.literal("ReportBatchItemFailures")).default([]),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }).optional(),
  StartingPosition: z.enum(["TRIM_HORIZON", "LATEST"]).default("TRIM_HORIZON"),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: z.coerce.number().default(-1),
  MaximumRecordAgeInSeconds: z.coerce.number().default(-1),
  ParallelizationFactor: z.coerce.number().int().min(1).max(10).default(1),
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.string() }).optional() }).optional(),
  ScalingConfig: z
    .object({ MaximumConcurrency: z.coerce.number().int().min(2).max(1000).optional() })
    .optional(),
  ProvisionedPollerConfig: z.object({ MaximumPollers: z.coerce.number().default(200) }).optional(),
});

interface EventSource {
  readonly id: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  readonly reportsItemFailures: boolean;
  /** The records that the function receives: those that match any pattern, or all if there are no patterns. */
  readonly filter: RecordFilter;
}

/** A function that receives the changes of a table. Numbers of -1 mean no limit, as in AWS. */
export interface StreamSource extends EventSource {
  readonly kind: "stream";
  readonly tableName: string;
  readonly streamArn: string;
  readonly startingPosition: "TRIM_HORIZON" | "LATEST";
  readonly bisectsOnError: boolean;
  readonly maximumRetryAttempts: number;
  readonly maximumRecordAgeSeconds: number;
  readonly parallelizationFactor: number;
  /** The ARN of the queue that receives a message about discarded records. */
  readonly onFailure: string | undefined;
}

/** A function that receives the messages of a queue. */
export interface QueueSource extends EventSource {
  readonly kind: "queue";
  readonly queueArn: string;
  readonly maximumConcurrency: number;
}

export type EventSourceDefinition = StreamSource | QueueSource;

/** AWS's defaults: records per batch of a stream, messages per batch of a queue. */
const STREAM_BATCH = 100;
const QUEUE_BATCH = 10;
/** Lambda starts with five pollers per queue, which suffices on one machine. */
const QUEUE_CONCURRENCY = 5;
/** The batches that a provisioned poller runs at once, as in AWS, and the most that one machine usefully runs. */
const BATCHES_PER_POLLER = 10;
const MOST_BATCHES = 50;

export function readEventSources(template: Template): EventSourceDefinition[] {
  return template
    .resourcesOf("AWS::Lambda::EventSourceMapping", EventSourceMapping)
    .filter(({ properties }) => properties.Enabled)
    .map(({ logicalId, properties }) => {
      const common = {
        id: logicalId,
        functionName: functionNameIn(properties.FunctionName),
        batchingWindowSeconds: properties.MaximumBatchingWindowInSeconds,
        reportsItemFailures: properties.FunctionResponseTypes.length > 0,
        filter: parsePattern(properties.FilterCriteria?.Filters.map(({ Pattern }) => Pattern) ?? []),
      };
      if (properties.EventSourceArn.startsWith("arn:aws:sqs:")) {
        return {
          ...common,
          kind: "queue",
          batchSize: properties.BatchSize ?? QUEUE_BATCH,
          queueArn: properties.EventSourceArn,
          maximumConcurrency: concurrencyOf(properties),
        };
      }
      return {
        ...common,
        kind: "stream",
        batchSize: properties.BatchSize ?? STREAM_BATCH,
        tableName: /:table\/([^/]+)\/stream\//.exec(properties.EventSourceArn)?.[1] ?? "",
        streamArn: properties.EventSourceArn,
        startingPosition: properties.StartingPosition,
        bisectsOnError: properties.BisectBatchOnFunctionError,
        maximumRetryAttempts: properties.MaximumRetryAttempts,
        maximumRecordAgeSeconds: properties.MaximumRecordAgeInSeconds,
        parallelizationFactor: properties.ParallelizationFactor,
        onFailure: properties.DestinationConfig?.OnFailure?.Destination,
      };
    });
}

/** @throws CommandError for a mapping that AWS refuses */
function concurrencyOf({
  ScalingConfig,
  ProvisionedPollerConfig,
}: z.infer<typeof EventSourceMapping>): number {
  const { MaximumConcurrency } = ScalingConfig ?? {};
  if (ProvisionedPollerConfig === undefined) return MaximumConcurrency ?? QUEUE_CONCURRENCY;
  if (MaximumConcurrency !== undefined) {
    throw new CommandError(
      "An event source has a maximum concurrency and provisioned pollers, which AWS refuses. Set only one of them.",
    );
  }
  return Math.min(ProvisionedPollerConfig.MaximumPollers * BATCHES_PER_POLLER, MOST_BATCHES);
}
