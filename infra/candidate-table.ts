import { type Duration, RemovalPolicy } from "aws-cdk-lib";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
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
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { WRITE_PREFIX } from "#candidates/section-reference";
import { KEYS_BY_ORGANISATION } from "#organisations/api-key-index";
import { ENDPOINTS_BY_SEALING_KEY } from "#webhooks/webhook-endpoint-index";
import type { EnvironmentSettings } from "./environments.ts";
import { sum } from "./metric-math.ts";
import type { ServiceFunction } from "./service-function.ts";

/** The kinds of item in the table, by the beginning of their partition key. */
type ItemKind = "CANDIDATE" | "ENDPOINT" | "KEY" | "ORGANISATION";

/** What the service asks of the table. */
const ITEM_OPERATIONS = [
  Operation.GET_ITEM,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.QUERY,
  Operation.TRANSACT_WRITE_ITEMS,
];

interface CandidateTableProps {
  readonly settings: EnvironmentSettings;
}

/** The one table of an environment, and who may do what in it. */
export class CandidateTable extends Construct {
  readonly #table: Table;

  constructor(scope: Construct, id: string, { settings }: CandidateTableProps) {
    super(scope, id);
    // A table of another name is another resource to CloudFormation: it leaves the old one alone.
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
      // Not RETAIN_ON_UPDATE_OR_DELETE: a creation that fails could not delete the protected table either.
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

  get tableArn(): string {
    return this.#table.tableArn;
  }

  get tableName(): string {
    return this.#table.tableName;
  }

  throttledRequests(period: Duration): IMetric {
    return this.#sumOverOperations("ThrottledRequests", "Throttled table requests", period);
  }

  systemErrors(period: Duration): IMetric {
    return this.#sumOverOperations("SystemErrors", "Table errors", period);
  }

  /** DynamoDB measures these by operation, and has no data of an operation that nothing happened to. */
  #sumOverOperations(metricName: string, label: string, period: Duration): IMetric {
    const of = Object.fromEntries(
      ITEM_OPERATIONS.map((operation) => [
        operation.toLowerCase(),
        this.#table.metric(metricName, {
          dimensionsMap: { TableName: this.tableName, Operation: operation },
          statistic: "Sum",
          period,
        }),
      ]),
    );
    return sum({ label, of, period });
  }

  /** Lets a function make these requests on items of one kind, and on no others. */
  allow(caller: ServiceFunction, kind: ItemKind, ...actions: readonly string[]): void {
    caller.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.#table.tableArn],
        conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${kind}#*`] } },
      }),
    );
  }

  /**
   * Lets a function read these attributes of candidates, and nothing else of them (Amazon DynamoDB developer guide,
   * "Using IAM policy conditions for fine-grained access control"; the keys are among them as it asks).
   */
  allowReadingOfCandidates(caller: ServiceFunction, attributes: readonly string[]): void {
    caller.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ["dynamodb:GetItem"],
        resources: [this.#table.tableArn],
        conditions: {
          "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["CANDIDATE#*"] },
          "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", ...attributes] },
          StringEqualsIfExists: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
        },
      }),
    );
  }

  /** Invokes a function with the writes that fired an event, and with no others. */
  sendEventsTo(consumer: ServiceFunction, options: EventSourceMappingOptions): void {
    this.#send(consumer, "Outbox", options, {
      dynamodb: { NewImage: { event: { M: { id: { S: FilterRule.exists() } } } } },
    });
  }

  /** Invokes a function when the notice of a write of a large candidate is removed, as it expires. */
  sendExpiredNoticesTo(consumer: ServiceFunction, options: EventSourceMappingOptions): void {
    this.#send(consumer, "ExpiredNotices", options, {
      eventName: FilterRule.isEqual("REMOVE"),
      dynamodb: { Keys: { sk: { S: FilterRule.beginsWith(WRITE_PREFIX) } } },
    });
  }

  #send(
    consumer: ServiceFunction,
    id: string,
    options: EventSourceMappingOptions,
    filter: Readonly<Record<string, unknown>>,
  ): void {
    this.#allowStream(consumer, "DescribeStream", "GetRecords", "GetShardIterator");
    // IAM knows no resource for this action (Service Authorization Reference, Amazon DynamoDB).
    consumer.addToRolePolicy(
      new PolicyStatement({ effect: Effect.ALLOW, actions: ["dynamodb:ListStreams"], resources: ["*"] }),
    );
    consumer.live.addEventSourceMapping(id, {
      ...options,
      eventSourceArn: this.#streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter(filter)],
    });
  }

  /** Lets a function read the stream where a failed batch says. */
  allowStreamReading(reader: ServiceFunction): void {
    this.#allowStream(reader, "GetRecords", "GetShardIterator");
  }

  #allowStream(reader: ServiceFunction, ...actions: readonly string[]): void {
    reader.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.#streamArn],
      }),
    );
  }

  get #streamArn(): string {
    const { tableStreamArn } = this.#table;
    if (!tableStreamArn) throw new Error("The table streams its writes.");
    return tableStreamArn;
  }

  /** Lets a function read the API keys of an organisation. */
  allowKeyListing(caller: ServiceFunction): void {
    this.#allowIndex(caller, KEYS_BY_ORGANISATION.indexName);
  }

  /** Lets a function find the webhook endpoints whose secret a key of the keyring has sealed. */
  allowFindingBySealingKey(caller: ServiceFunction): void {
    this.#allowIndex(caller, ENDPOINTS_BY_SEALING_KEY.indexName);
  }

  #allowIndex(caller: ServiceFunction, indexName: string): void {
    caller.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ["dynamodb:Query"],
        resources: [`${this.#table.tableArn}/index/${indexName}`],
      }),
    );
  }
}
