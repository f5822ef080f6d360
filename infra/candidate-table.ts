import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { type IMetric, Metric } from "aws-cdk-lib/aws-cloudwatch";
import {
  AttributeType,
  BillingMode,
  Operation,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from "aws-cdk-lib/aws-dynamodb";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import {
  type EventSourceMappingOptions,
  FilterCriteria,
  FilterRule,
  MetricType,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { KEYS_BY_ORGANISATION } from "#api-keys/api-key-index";
import { LIFE_ATTRIBUTES } from "#candidates/outbox/candidate-lives";
import { WRITE_PREFIX } from "#candidates/store/item/section-reference";
import { PART_CONTENT } from "#candidates/store/large/section-parts";
import { ENDPOINTS_BY_SEALING_KEY } from "#webhooks/endpoints/sealing-key-index";
import { type AttributeAction, attributePermission } from "./attribute-permission.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { allow, type Grant } from "./grant.ts";
import { sum } from "./metric-math.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { ServiceQueue } from "./service-queue.ts";

/** The kinds of item in the table, by the prefix of their partition key. */
type ItemKind = "CANDIDATE" | "ENDPOINT" | "ENDPOINTS" | "FEED" | "KEY" | "ORGANISATION" | "WAITING";

/** The requests on items that a function may be allowed. A transaction needs those of its operations. */
type ItemAction = "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "Query" | "BatchWriteItem";

/** The batches of the stream that a function receives. */
type StreamBatches = Pick<EventSourceMappingOptions, "batchSize" | "parallelizationFactor">;

/** The operations that the service uses on the table. */
const ITEM_OPERATIONS = [
  Operation.GET_ITEM,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.QUERY,
  Operation.TRANSACT_WRITE_ITEMS,
  Operation.BATCH_WRITE_ITEM,
];

interface CandidateTableProps {
  readonly settings: EnvironmentSettings;
}

/** The table of an environment, and the permissions on it. */
export class CandidateTable extends Construct {
  readonly #table: Table;

  constructor(scope: Construct, id: string, { settings }: CandidateTableProps) {
    super(scope, id);
    // CloudFormation treats a table with another name as a new resource, and leaves the old one unchanged.
    this.#table = new Table(this, settings.restoredTable ?? "Table", {
      ...(settings.restoredTable && { tableName: settings.restoredTable }),
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      stream: StreamViewType.NEW_IMAGE,
      timeToLiveAttribute: "deleteAfter",
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.retainData,
      // Not RETAIN_ON_UPDATE_OR_DELETE: a failed creation would try to delete the table, which is protected.
      removalPolicy: settings.retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.#table.addGlobalSecondaryIndex({
      indexName: KEYS_BY_ORGANISATION.indexName,
      partitionKey: { name: KEYS_BY_ORGANISATION.partitionKey, type: AttributeType.STRING },
      sortKey: { name: "createdAt", type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...KEYS_BY_ORGANISATION.attributes],
    });
    this.#table.addGlobalSecondaryIndex({
      indexName: ENDPOINTS_BY_SEALING_KEY.indexName,
      partitionKey: { name: ENDPOINTS_BY_SEALING_KEY.partitionKey, type: AttributeType.STRING },
      sortKey: { name: "pk", type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ["orgId", "id"],
    });
  }

  /** Differs from that of every table before: the name of a restored table, or `Table`. */
  get id(): string {
    return this.#table.node.id;
  }

  get tableArn(): string {
    return this.#table.tableArn;
  }

  /**
   * Throttled reads and writes of the table and its indexes. Not ThrottledRequests, which counts a BatchWriteItem only
   * if all of its items are throttled (Amazon DynamoDB developer guide, "DynamoDB metrics and dimensions").
   */
  throttles(period: Duration): IMetric {
    const indexes = [undefined, KEYS_BY_ORGANISATION.indexName, ENDPOINTS_BY_SEALING_KEY.indexName];
    const of = Object.fromEntries(
      indexes.flatMap((indexName) => {
        const dimensions = indexName === undefined ? {} : { GlobalSecondaryIndexName: indexName };
        return [
          [`${indexName ?? "table"}Reads`, this.#sum("ReadThrottleEvents", period, dimensions)],
          [`${indexName ?? "table"}Writes`, this.#sum("WriteThrottleEvents", period, dimensions)],
        ];
      }),
    );
    return sum({ label: "Throttled reads and writes", of, always: this.#consumed(period), period });
  }

  /** DynamoDB reports these per operation. */
  systemErrors(period: Duration): IMetric {
    const of = Object.fromEntries(
      ITEM_OPERATIONS.map((operation) => [
        operation.toLowerCase(),
        this.#sum("SystemErrors", period, { Operation: operation }),
      ]),
    );
    return sum({ label: "Table errors", of, always: this.#consumed(period), period });
  }

  /**
   * A metric with a value in every minute in which the table works: release-deliveries queries it once a minute.
   * DynamoDB reports no zeros, and an alarm on its metrics may keep its state while data is missing, whatever its
   * setting (Amazon CloudWatch API, PutMetricAlarm, TreatMissingData).
   */
  #consumed(period: Duration): Readonly<Record<string, IMetric>> {
    return { consumed: this.#sum("ConsumedReadCapacityUnits", period) };
  }

  #sum(metricName: string, period: Duration, dimensions: Readonly<Record<string, string>> = {}): IMetric {
    return this.#table.metric(metricName, {
      dimensionsMap: { TableName: this.#table.tableName, ...dimensions },
      statistic: "Sum",
      period,
    });
  }

  /** Allows these requests on items of one kind only. */
  items(kind: ItemKind, ...actions: readonly ItemAction[]): Grant {
    return this.itemsOfKinds([kind], ...actions);
  }

  /**
   * Allows these requests on items of some kinds, in one statement. AWS documents that a transaction needs the
   * permissions of its operations (Amazon DynamoDB developer guide, "Using IAM with DynamoDB transactions"), but not
   * whether one statement must cover the keys of all items. One does, so it allows a transaction that writes several
   * kinds.
   */
  itemsOfKinds(kinds: readonly ItemKind[], ...actions: readonly ItemAction[]): Grant {
    return this.#grant(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.#table.tableArn],
        conditions: {
          "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map((kind) => `${kind}#*`) },
        },
      }),
    );
  }

  /**
   * Allows a function to read a candidate's current life, and nothing else: reading a part requires its key, and a life
   * contains only the keys of its rejections.
   */
  livesOfCandidates(): Grant {
    return this.attributes("CANDIDATE", "GetItem", [...LIFE_ATTRIBUTES, PART_CONTENT]);
  }

  /** Allows these requests for some attributes of items of one kind only. */
  attributes(kind: ItemKind, action: AttributeAction, names: readonly string[]): Grant {
    return this.#grant(attributePermission(this.#table.tableArn, { kind, action, names }));
  }

  /** Allows a function to read the API keys of an organisation. */
  keysByOrganisation(): Grant {
    return this.#index(KEYS_BY_ORGANISATION.indexName);
  }

  /** Allows a function to find webhook endpoints by the keyring key with which their secret is sealed. */
  endpointsBySealingKey(): Grant {
    return this.#index(ENDPOINTS_BY_SEALING_KEY.indexName);
  }

  #index(indexName: string): Grant {
    return this.#grant(allow(`${this.#table.tableArn}/index/${indexName}`, "dynamodb:Query"));
  }

  /** Allows a function to read the stream at the position of a failed batch. */
  stream(): Grant {
    return this.#grant(allow(this.#streamArn, "dynamodb:GetRecords", "dynamodb:GetShardIterator"));
  }

  /** Gives the table's name to a function that has no permissions on it. */
  nothing(): Grant {
    return this.#grant();
  }

  #grant(...statements: readonly PolicyStatement[]): Grant {
    return { statements, environment: { TABLE_NAME: this.#table.tableName } };
  }

  /**
   * Invokes a function with the writes that fired an event, and no others.
   *
   * @returns how often Lambda polls the stream for it
   */
  sendEventsTo(consumer: ServiceFunction, failures: ServiceQueue, batches: StreamBatches): IMetric {
    return this.#send("Outbox", consumer, failures, {
      ...batches,
      filters: [
        FilterCriteria.filter({
          dynamodb: { NewImage: { event: { M: { id: { S: FilterRule.exists() } } } } },
        }),
      ],
    });
  }

  /**
   * Invokes a function when the notice of a large candidate's write expires and is removed.
   *
   * @returns how often Lambda polls the stream for it
   */
  sendExpiredNoticesTo(consumer: ServiceFunction, failures: ServiceQueue, batches: StreamBatches): IMetric {
    return this.#send("ExpiredNotices", consumer, failures, {
      ...batches,
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("REMOVE"),
          dynamodb: { Keys: { sk: { S: FilterRule.beginsWith(WRITE_PREFIX) } } },
        }),
      ],
    });
  }

  #send(
    id: string,
    consumer: ServiceFunction,
    failures: ServiceQueue,
    options: StreamBatches & Pick<EventSourceMappingOptions, "filters">,
  ): IMetric {
    const statements = [
      // Lambda sends failed batches to this queue with the function's role. SqsDlq would grant more than it needs.
      ...failures.sending().statements,
      allow(this.#streamArn, "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"),
      // This action supports no resource-level permissions (Service Authorization Reference, Amazon DynamoDB).
      allow("*", "dynamodb:ListStreams"),
    ];
    for (const statement of statements) consumer.addToRolePolicy(statement);
    const { eventSourceMappingId } = consumer.live.addEventSourceMapping(id, {
      ...options,
      eventSourceArn: this.#streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // The stream keeps a record for 24 hours: half of that for retries, and half for a redrive, which reads it again
      // from the stream. AWS documents no backoff between the attempts at a batch, so a number of attempts would not
      // correspond to a time.
      retryAttempts: -1,
      maxRecordAge: Duration.hours(12),
      onFailure: { bind: () => ({ destination: failures.queueArn }) },
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    // A poll that finds no records counts as 0 events (AWS Lambda developer guide, "Types of metrics for Lambda
    // functions"), so there are samples as long as Lambda polls. An idle stream has no iterator age.
    return new Metric({
      namespace: "AWS/Lambda",
      metricName: "PolledEventCount",
      dimensionsMap: { EventSourceMappingUUID: eventSourceMappingId },
      statistic: "SampleCount",
      period: Duration.minutes(5),
    });
  }

  get #streamArn(): string {
    const { tableStreamArn } = this.#table;
    if (!tableStreamArn) throw new Error("The table has no stream. Define it with a StreamViewType.");
    return tableStreamArn;
  }
}
