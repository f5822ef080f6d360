import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { marshall } from "@aws-sdk/util-dynamodb";
import { isWildcardOnlyAction } from "@cloud-copilot/iam-simulate";
import { Stack } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { CfnBackupSelection } from "aws-cdk-lib/aws-backup";
import { CfnDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { CfnRole } from "aws-cdk-lib/aws-iam";
import { CfnEventSourceMapping, CfnFunction } from "aws-cdk-lib/aws-lambda";
import { describe, expect, expectTypeOf, inject, test, vi } from "vitest";
import { BATCH_FAULTS } from "#candidates/store/receive-batch";
import type { OperationId } from "#contract/operations";
import { DELIVERY_METRICS } from "#webhooks/delivery/delivery-metrics";
import { RECEIVES } from "#webhooks/delivery/retry-schedule";
import { packEvents } from "#webhooks/feed/feed-item";
import { AHEAD, WORKS_FOR } from "#webhooks/recoveries/recover";
import { CandidateTable } from "../../infra/candidate-table.ts";
import { CostBudget } from "../../infra/cost-budget.ts";
import { DELIVERY_LIMITS } from "../../infra/delivery-limits.ts";
import { environments } from "../../infra/environments.ts";
import type { operationGrants } from "../../infra/operation-grants.ts";
import { readTables, type TableDefinition } from "../../local/dynamodb/tables.ts";
import { parsePattern } from "../../local/event-sources/record-filter.ts";
import { Template as ReadTemplate } from "../../local/template.ts";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { operations } from "../docs/description.ts";
import { anEvent, SLOWEST_BATCH_MS, SLOWEST_DELIVERY_MS } from "../webhooks/builders.ts";
import { type AlarmProperties, metricsOf, shownMetrics } from "./alarms.ts";
import { type MetricFilter, published } from "./metric-filter.ts";
import { stackOf, synthesisable } from "./stacks.ts";
import { templatesIn } from "./synthesised.ts";

// What the functions are made of is not tested here: to bundle it for each synthesis takes seconds.
vi.mock("../../infra/bundles.ts", () => ({ bundleOf: () => "functions" }));

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string[]>>>>;
}

/** The statements inside each role, by its logical id. A test verifies that no policy is beside one. */
function permissionsIn(template: Template): [string, Statement[]][] {
  return Object.entries(template.findResources("AWS::IAM::Role")).map(([id, role]) => {
    const { Policies = [] } = role["Properties"] as {
      Policies?: { PolicyDocument: { Statement: Statement[] } }[];
    };
    return [id, Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
  });
}

const ITEM_ACTIONS = new Set(
  ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "BatchGetItem"].map(
    (action) => `dynamodb:${action}`,
  ),
);

const [development, production] = templatesIn(inject("assembly"));
const [developmentSettings, productionSettings] = environments;
if (!development || !production || !developmentSettings || !productionSettings) {
  throw new Error("There are two environments.");
}

test("the limits for bursts are provisioned pollers, and no maximum concurrency, which AWS would refuse", () => {
  const webhooks = { ...developmentSettings.webhooks, ...DELIVERY_LIMITS.forBursts };
  const stack = stackOf({ ...developmentSettings, webhooks });
  const mappings = stack.node.findAll().filter((node) => node instanceof CfnEventSourceMapping);

  for (const [queue, minimumPollers, maximumPollers] of [
    ["DeliveryQueue", 78, 100],
    ["RetryQueue", 2, 40],
  ] as const) {
    const [mapping, ...others] = mappings.filter(({ eventSourceArn }) =>
      JSON.stringify(stack.resolve(eventSourceArn)).includes(queue),
    );
    expect(others).toEqual([]);
    expect(stack.resolve(mapping?.provisionedPollerConfig)).toEqual({ minimumPollers, maximumPollers });
    expect(mapping?.scalingConfig).toBeUndefined();
  }
});

describe.each([development, production])("the template of %s", (name, template) => {
  const resources = (type: string) =>
    Object.entries(template.findResources(type)) as [string, { Properties: Record<string, unknown> }][];

  /** As `/v1/candidates/{id}`. */
  const pathOf = (resourceId: unknown): string => {
    const { Ref = "" } = resourceId as { Ref?: string };
    const { ParentId, PathPart } =
      template.findResources("AWS::ApiGateway::Resource")[Ref]?.["Properties"] ?? {};
    return PathPart === undefined ? "/" : posix.join(pathOf(ParentId), PathPart);
  };

  test("allows functions to be invoked only through the API, by IAM or by the stack's own schedule", () => {
    template.resourceCountIs("AWS::Lambda::Url", 0);
    const sources: Readonly<Record<string, RegExp>> = {
      "apigateway.amazonaws.com": /execute-api/,
      "events.amazonaws.com": /^\{"Fn::GetAtt":\["WebhookDeliveryEveryMinute\w+","Arn"\]\}$/,
    };
    for (const [id, { Properties }] of resources("AWS::Lambda::Permission")) {
      const source = sources[String(Properties["Principal"])];
      expect(source, id).toBeDefined();
      expect(JSON.stringify(Properties["SourceArn"]), id).toMatch(source ?? "");
    }
  });

  test("releases waiting deliveries every minute, by one run at a time that is not repeated", () => {
    template.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(1 minute)",
      State: "ENABLED",
      Targets: [Match.objectLike({ RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } })],
    });
    template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
    const [release] = resources("AWS::Lambda::Function").filter(([id]) => id.includes("ReleaseDeliveries"));
    expect(release?.[1].Properties["Timeout"]).toBeLessThan(60);
  });

  const open = ["/", "/docs", "/docs/{file+}", "/openapi.json", "/llms.txt"];

  test("requires an API key on every route except the documentation's", () => {
    const methods = resources("AWS::ApiGateway::Method");
    expect(methods.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of methods) {
      const asks = !open.includes(pathOf(Properties["ResourceId"]));
      expect(Properties["AuthorizationType"], id).toBe(asks ? "CUSTOM" : "NONE");
      expect(Properties["AuthorizerId"] !== undefined, id).toBe(asks);
    }
    template.hasResourceProperties("AWS::ApiGateway::Authorizer", {
      Type: "REQUEST",
      IdentitySource: "method.request.header.X-API-Key",
      AuthorizerResultTtlInSeconds: 60,
    });
  });

  test("has no metrics of each method, which are billed, and watches those of the stage", () => {
    const [stage] = resources("AWS::ApiGateway::Stage");
    const settings = stage?.[1].Properties["MethodSettings"] as { readonly MetricsEnabled: boolean }[];
    const watched = JSON.stringify([
      template.findResources("AWS::CloudWatch::Alarm"),
      template.findResources("AWS::CloudWatch::Dashboard"),
    ]);

    expect(new Set(settings.map(({ MetricsEnabled }) => MetricsEnabled))).toEqual(new Set([false]));
    expect(watched).toContain("AWS/ApiGateway");
    expect(watched).not.toMatch(/"Method\\?"/);
  });

  test("passes every body to its function as binary", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", { BinaryMediaTypes: ["*/*"] });
  });

  test("has a route for exactly the operations of the list, each with the function of its name", () => {
    const functions = template.findResources("AWS::Lambda::Function");
    const aliases = template.findResources("AWS::Lambda::Alias");
    const routes = resources("AWS::ApiGateway::Method").flatMap(([, { Properties }]) => {
      const [, id = ""] =
        /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(Properties["Integration"])) ?? [];
      const invoked = functions[aliases[id]?.["Properties"]["FunctionName"].Ref ?? id];
      return Properties["HttpMethod"] === "ANY"
        ? []
        : [
            `${Properties["HttpMethod"]} ${pathOf(Properties["ResourceId"])} ${invoked?.["Properties"]["FunctionName"].replace(`${name}-`, "")}`,
          ];
    });
    const isProduction = name === production[0];
    const offered = operations.filter(({ operation }) => !(isProduction && "x-sandbox" in operation));
    const described = offered.map(
      ({ route, operation: { operationId = "" } }) =>
        `${route} ${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );

    const documentation = open.flatMap((path) => [
      `GET ${path} get-documentation`,
      `HEAD ${path} get-documentation`,
    ]);
    expect(routes.sort()).toEqual([...described, ...documentation].sort());
  });

  test("responds on every path to an unsupported method with Allow, whatever the media type", () => {
    const methods = resources("AWS::ApiGateway::Method").map(([, { Properties }]) => Properties);
    const [refusing] = resources("AWS::Lambda::Function").filter(
      ([, { Properties }]) => Properties["FunctionName"] === `${name}-refuse-method`,
    );
    for (const { Integration } of methods.filter(({ HttpMethod }) => HttpMethod === "ANY")) {
      // A proxy takes a body of every type; a mock integration responds with 415, or 500, to one without a template.
      expect(Integration).toMatchObject({ Type: "AWS_PROXY" });
      expect(JSON.stringify(Integration)).toContain(`"${refusing?.[0]}"`);
    }
    const offered = Object.groupBy(methods, ({ ResourceId }) => pathOf(ResourceId));
    const environment = refusing?.[1].Properties["Environment"] as { Variables: Record<string, string> };
    expect(JSON.parse(environment.Variables["OFFERED_METHODS"] ?? "")).toEqual(
      Object.fromEntries(
        Object.entries(offered).map(([path, of = []]) => [
          path,
          of
            .map(({ HttpMethod }) => HttpMethod)
            .filter((method) => method !== "ANY")
            .sort(),
        ]),
      ),
    );
    for (const of of Object.values(offered)) {
      expect(of?.filter(({ HttpMethod }) => HttpMethod === "ANY")).toHaveLength(1);
    }
  });

  test("gives every error of API Gateway the envelope and the common headers", () => {
    const responses = resources("AWS::ApiGateway::GatewayResponse");
    const types = responses.map(([, { Properties }]) => Properties["ResponseType"]);
    expect(types).toEqual(expect.arrayContaining(["DEFAULT_4XX", "DEFAULT_5XX"]));
    for (const [id, { Properties }] of responses) {
      const templates = Properties["ResponseTemplates"] as Record<string, string>;
      const body = JSON.parse(templates["application/json"] ?? "") as Record<string, unknown>;
      expect(Object.keys(body).sort(), id).toEqual(["error", "message"]);
      expect(Properties["ResponseParameters"], id).toMatchObject({
        "gatewayresponse.header.X-Request-Id": "context.requestId",
        "gatewayresponse.header.Cache-Control": "'no-store'",
      });
    }
  });

  test.each(["INTEGRATION_FAILURE", "AUTHORIZER_FAILURE", "AUTHORIZER_CONFIGURATION_ERROR"])(
    "maps %s, which a throttled function causes too, to a 503 with Retry-After",
    (ResponseType) => {
      template.hasResourceProperties("AWS::ApiGateway::GatewayResponse", {
        ResponseType,
        StatusCode: "503",
        ResponseParameters: Match.objectLike({ "gatewayresponse.header.Retry-After": "'1'" }),
        ResponseTemplates: { "application/json": Match.stringLikeRegexp('"error":"service_unavailable"') },
      });
    },
  );

  test("restricts the API to TLS 1.2 or later", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      EndpointConfiguration: { Types: ["REGIONAL"] },
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      // API Gateway refuses a policy of that name without it.
      EndpointAccessMode: "STRICT",
    });
  });

  test("retries failed stream batches for a limited time, then sends them to a permitted queue", () => {
    const mappings = resources("AWS::Lambda::EventSourceMapping").filter(([, { Properties }]) =>
      JSON.stringify(Properties["EventSourceArn"]).includes("StreamArn"),
    );
    expect(mappings).toHaveLength(2);
    const sentTo = permissionsIn(template)
      .flatMap(([, statements]) => statements)
      .filter(({ Action }) => [Action].flat().includes("sqs:SendMessage"))
      .flatMap(({ Resource }) => [Resource].flat());
    const queues = mappings.map(([id, { Properties }]) => {
      // The age alone ends the retries: a number of attempts could be used up within the outage that they are for.
      expect(Properties["MaximumRetryAttempts"], id).toBe(-1);
      // A redrive reads the stream, which keeps a record 24 hours: half of it is left for that.
      expect(Properties["MaximumRecordAgeInSeconds"], id).toBe(12 * 60 * 60);
      // Only what failed is attempted again, and a record that kills the function ends up alone.
      expect(Properties["FunctionResponseTypes"], id).toEqual(["ReportBatchItemFailures"]);
      expect(Properties["BisectBatchOnFunctionError"], id).toBe(true);
      const { OnFailure } = Properties["DestinationConfig"] as { OnFailure: { Destination: unknown } };
      expect(sentTo, id).toContainEqual(OnFailure.Destination);
      return JSON.stringify(OnFailure.Destination);
    });
    expect(new Set(queues).size).toBe(2);
  });

  test("encrypts the table, and enables point-in-time recovery and its stream", () => {
    template.hasResourceProperties("AWS::DynamoDB::Table", {
      SSESpecification: { SSEEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      BillingMode: "PAY_PER_REQUEST",
    });
  });

  test("defines the same table as the simulation", () => {
    const [table] = readTables(
      new ReadTemplate(template.toJSON(), { stackName: "Stack", queuesUrl: "http://127.0.0.1:1" }),
    );
    const byName = (one: TableDefinition | undefined) => ({
      ...one,
      name: serviceTable.name,
      attributes: one?.attributes.toSorted((left, right) =>
        String(left.AttributeName).localeCompare(String(right.AttributeName)),
      ),
    });

    expect(byName(table)).toEqual(byName(serviceTable));
  });

  test("generates the keyring as before: with another template CloudFormation would replace it, and lose all sealed secrets", () => {
    const keyrings = resources("AWS::SecretsManager::Secret").map(([, { Properties }]) => Properties);
    expect(keyrings).toMatchObject([{ Description: expect.stringContaining("seal") }]);
    expect(keyrings.map(({ GenerateSecretString }) => GenerateSecretString)).toEqual([
      {
        SecretStringTemplate: '{"current":"1"}',
        GenerateStringKey: "1",
        PasswordLength: 64,
        ExcludePunctuation: true,
      },
    ]);
  });

  test("encrypts the table, the queues and the alarm topic at rest", () => {
    for (const [id, { Properties }] of resources("AWS::SQS::Queue")) {
      expect(Properties["SqsManagedSseEnabled"], id).toBe(true);
    }
    for (const [id, { Properties }] of resources("AWS::SNS::Topic")) {
      expect(Properties["KmsMasterKeyId"], id).toBeDefined();
    }
  });

  test("allows alarms to publish to their topic and use its key", () => {
    const byAlarms = (actions: unknown) =>
      Match.arrayWith([
        Match.objectLike({
          Effect: "Allow",
          Principal: { Service: "cloudwatch.amazonaws.com" },
          Action: actions,
          Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
        }),
      ]);
    template.hasResourceProperties("AWS::SNS::TopicPolicy", {
      PolicyDocument: { Statement: byAlarms("sns:Publish") },
    });
    template.hasResourceProperties("AWS::KMS::Key", {
      EnableKeyRotation: true,
      KeyPolicy: { Statement: byAlarms(["kms:Decrypt", "kms:GenerateDataKey*"]) },
    });
  });

  test("has no circular dependency through update policies", () => {
    const all = template.toJSON()["Resources"] as Record<string, unknown>;
    const waiting = new Map(
      Object.entries(all).map(([id, resource]) => {
        const words = new Set(JSON.stringify(resource).match(/\w+/g));
        return [id, Object.keys(all).filter((other) => other !== id && words.has(other))];
      }),
    );
    for (let before = Number.POSITIVE_INFINITY; waiting.size < before; ) {
      before = waiting.size;
      for (const [id, named] of waiting) {
        if (!named.some((other) => waiting.has(other))) waiting.delete(id);
      }
    }
    expect([...waiting.keys()]).toEqual([]);
  });

  test("creates at most ten functions at once, and lets no alias wait for another function's", () => {
    const ids = resources("AWS::Lambda::Function").map(([id]) => id);
    const waitsFor = (id: string) => {
      const { DependsOn = [] } = template.toJSON()["Resources"][id] as { DependsOn?: string | string[] };
      return [DependsOn].flat();
    };
    const finished = new Set<string>();
    while (finished.size < ids.length) {
      const ready = ids.filter(
        (id) =>
          !finished.has(id) && waitsFor(id).every((other) => !ids.includes(other) || finished.has(other)),
      );
      // None would be a circular dependency.
      expect(ready.length).toBeGreaterThan(0);
      expect(ready.length).toBeLessThanOrEqual(10);
      for (const id of ready) finished.add(id);
    }
    for (const alias of Object.keys(template.findResources("AWS::Lambda::Alias"))) {
      expect(waitsFor(alias), alias).toEqual([]);
    }
  });

  test("is well below CloudFormation's limit of 500 resources", () => {
    const { length } = Object.keys(template.toJSON()["Resources"]);
    // An operation adds some ten: two more fit, and then seventy are left for the time that the remedy takes.
    const remedy =
      "Deploy rarely called functions at once: five resources less for each. Or make a second stack, for example of the platform's functions";
    expect(length, remedy).toBeLessThan(430);
  });

  test("has all permissions inside roles, each far below IAM's limit of 10,240 characters", () => {
    for (const beside of ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"]) {
      template.resourceCountIs(beside, 0);
    }
    for (const [id, statements] of permissionsIn(template)) {
      // CDK divides only policies beside roles. An ARN may be longer than the reference that stands for it here.
      expect(JSON.stringify(statements).length, id).toBeLessThan(5_000);
    }
  });

  test("runs every function on Node.js 24 and ARM with its own role and log group", () => {
    const functions = resources("AWS::Lambda::Function");
    for (const [id, { Properties }] of functions) {
      expect(Properties, id).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
      expect(Properties["LoggingConfig"], id).toMatchObject({ LogFormat: "JSON" });
    }
    const roles = functions.map(([, { Properties }]) => JSON.stringify(Properties["Role"]));
    expect(new Set(roles).size).toBe(functions.length);
  });

  test("logs no lines of Lambda's own for successful invocations of functions that run for each event", () => {
    const quiet = template.findResources("AWS::Lambda::Function", {
      Properties: { LoggingConfig: { SystemLogLevel: "WARN" } },
    });
    const names = Object.values(quiet).map(({ Properties }) =>
      Properties.FunctionName.replace(`${name}-`, ""),
    );
    expect(names.sort()).toEqual(["deliver-aside", "deliver-webhook", "publish-events", "retry-webhook"]);
  });

  test("sends publish-events writes that fired an event, and no items of the event feed", () => {
    const [mapping] = resources("AWS::Lambda::EventSourceMapping").filter(([id]) => id.includes("Outbox"));
    const criteria = mapping?.[1].Properties["FilterCriteria"] as { Filters: { Pattern: string }[] };
    const passes = parsePattern(criteria.Filters.map(({ Pattern }) => Pattern));
    const write = (item: object) => ({ dynamodb: { NewImage: marshall(item) } });

    expect(passes(write({ pk: "CANDIDATE#1", sk: "RECORD", event: { id: "evt_1" } }))).toBe(true);
    expect(passes(write({ pk: "CANDIDATE#1", sk: "RECORD" }))).toBe(false);
    expect(passes(write({ pk: "FEED#org-1#0", sk: "1", events: packEvents([anEvent()]) }))).toBe(false);
  });

  test("allows a recursive loop only for the functions that retry, and has an alarm for dropped ones", () => {
    const allowed = resources("AWS::Lambda::Function").filter(
      ([, { Properties }]) => Properties["RecursiveLoop"] === "Allow",
    );
    expect(allowed.map(([, { Properties }]) => Properties["FunctionName"])).toEqual([
      expect.stringMatching(/-deliver-aside$/),
      expect.stringMatching(/-retry-webhook$/),
    ]);
    const dropped = (functionName: RegExp) => {
      const [id] = resources("AWS::Lambda::Function").find(([, { Properties }]) =>
        functionName.test(String(Properties["FunctionName"])),
      ) ?? [""];
      const Dimensions = [{ Name: "FunctionName", Value: { Ref: id } }];
      return Match.objectLike({
        MetricStat: Match.objectLike({
          Metric: { Namespace: "AWS/Lambda", MetricName: "RecursiveInvocationsDropped", Dimensions },
          Stat: "Sum",
        }),
      });
    };
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      Metrics: Match.arrayWith(
        [/-deliver-webhook$/, /-deliver-aside$/, /-retry-webhook$/].map((each) => dropped(each)),
      ),
      Threshold: 0,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 1,
    });
  });

  test("sets a queue's visibility timeout to six times its consumer's timeout, which exceeds any run", () => {
    const timeoutOf = (consumer: string) =>
      Number(
        resources("AWS::Lambda::Function").find(([id]) => id.includes(consumer))?.[1].Properties["Timeout"],
      );
    const queues = template.findResources("AWS::SQS::Queue");
    const consumers = resources("AWS::Lambda::EventSourceMapping").flatMap(([id, { Properties }]) => {
      const [source = ""] = (Properties["EventSourceArn"] as { "Fn::GetAtt": string[] })["Fn::GetAtt"];
      const hidden = queues[source]?.["Properties"].VisibilityTimeout;
      const [consumer = ""] = id.match(/DeliverWebhook|DeliverAside|RetryWebhook|RecoverEvents/) ?? [];
      return hidden ? [{ hidden, timeout: timeoutOf(consumer) }] : [];
    });
    expect(consumers).toHaveLength(4);
    for (const { hidden, timeout } of consumers) expect(hidden).toBe(6 * timeout);
    const [recovery = 0, ...deliveries] = consumers
      .map(({ timeout }) => timeout)
      .toSorted((left, right) => left - right);
    expect(Math.min(...deliveries)).toBeGreaterThan(SLOWEST_DELIVERY_MS / 1000);
    expect(recovery).toBeGreaterThan(WORKS_FOR / 1000);
    // Between two runs, the deliveries of a recovery go on.
    expect(6 * recovery).toBeLessThan(AHEAD / 1000);
  });

  test("gives publish-events longer than its slowest batch takes", () => {
    const [[, { Properties }] = ["", { Properties: {} }]] = resources("AWS::Lambda::Function").filter(
      ([, { Properties }]) => /-publish-events$/.test(String(Properties["FunctionName"])),
    );
    expect(Properties["Timeout"]).toBeGreaterThan(SLOWEST_BATCH_MS / 1_000);
  });

  test("lets retry-webhook dead-letter a failing delivery long before SQS does, and a first attempt become a retry", () => {
    const mappings = resources("AWS::Lambda::EventSourceMapping").filter(([, { Properties }]) =>
      /(?:Delivery|Side|Retry)Queue/.test(JSON.stringify(Properties["EventSourceArn"])),
    );
    const queues = template.findResources("AWS::SQS::Queue");
    const policies = mappings.map(([id, { Properties }]) => {
      expect(Properties["FunctionResponseTypes"], id).toEqual(["ReportBatchItemFailures"]);
      const [source = ""] = (Properties["EventSourceArn"] as { "Fn::GetAtt": string[] })["Fn::GetAtt"];
      const { deadLetterTargetArn, maxReceiveCount } = queues[source]?.["Properties"].RedrivePolicy ?? {};
      return [source, deadLetterTargetArn["Fn::GetAtt"][0], maxReceiveCount];
    });
    const dead = expect.stringContaining("DeadLetters");
    const retry = expect.stringContaining("RetryQueue");
    expect(policies.toSorted()).toEqual([
      [expect.stringContaining("DeliveryQueue"), retry, 5],
      [retry, dead, 5 * RECEIVES],
      [expect.stringContaining("SideQueue"), retry, 5],
    ]);
  });

  test("works on a few recoveries at once, one per invocation, and has no dead-letter queue for them", () => {
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: { "Fn::GetAtt": [Match.stringLikeRegexp("RecoveryQueue"), "Arn"] },
      BatchSize: 1,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 5 },
    });
    const [[, queue] = []] = resources("AWS::SQS::Queue").filter(([id]) => id.includes("RecoveryQueue"));
    // A long recovery is received hundreds of times.
    expect(queue?.Properties).not.toHaveProperty("RedrivePolicy");
  });

  test("consumes the queues of deliveries in batches of ten without a batching window, as many at once as the settings say", () => {
    const settings = environments.find((environment) => name.endsWith(environment.name))?.webhooks;
    for (const [queue, limit] of [
      ["DeliveryQueue", settings?.deliveryConcurrency],
      ["SideQueue", settings?.sideConcurrency],
      ["RetryQueue", settings?.retryConcurrency],
    ] as const) {
      if (!limit || !("atMost" in limit)) throw new Error("No environment has a fixed price by default.");
      template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
        EventSourceArn: { "Fn::GetAtt": [Match.stringLikeRegexp(queue), "Arn"] },
        BatchSize: 10,
        // With a window Lambda may wait for up to 20 s if there are few messages, whatever the window is.
        MaximumBatchingWindowInSeconds: Match.absent(),
        ScalingConfig: { MaximumConcurrency: limit.atMost },
        ProvisionedPollerConfig: Match.absent(),
      });
    }
  });

  test("gives retry-webhook, which waits for receivers that hang, less than half of the others' memory", () => {
    for (const [suffix, MemorySize] of [
      ["deliver-webhook", 512],
      ["deliver-aside", 512],
      ["retry-webhook", 192],
    ] as const) {
      template.hasResourceProperties("AWS::Lambda::Function", {
        FunctionName: `${name}-${suffix}`,
        MemorySize,
      });
    }
  });

  test("allows recover-events to change an endpoint and a recovery in one transaction by one statement", () => {
    const updating = permissionsIn(template)
      .filter(([id]) => id.includes("RecoverEventsRole"))
      .flatMap(([, statements]) => statements)
      .filter(({ Action }) => [Action].flat().includes("dynamodb:UpdateItem"));
    expect(updating.map(({ Condition }) => Condition)).toEqual([
      { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["ENDPOINT#*", "ENDPOINTS#*"] } },
    ]);
  });

  test("grants no role wildcards, and requests of items only by their kinds", async () => {
    const permissions = permissionsIn(template);
    expect(permissions.flatMap(([, statements]) => statements).length).toBeGreaterThan(0);
    for (const [id, statements] of permissions) {
      for (const { Action, Resource, Condition } of statements) {
        const actions = [Action].flat();
        expect(actions.join(), id).not.toContain("*");
        if ([Resource].flat().includes("*")) {
          for (const action of actions) {
            const [service = "", operation = ""] = action.split(":");
            expect(await isWildcardOnlyAction(service, operation), `${id}: ${action}`).toBe(true);
          }
        }
        if (
          actions.some((action) => ITEM_ACTIONS.has(action)) &&
          !JSON.stringify(Resource).includes("/index/")
        ) {
          const { "dynamodb:LeadingKeys": kinds } = Condition?.["ForAllValues:StringLike"] ?? {};
          expect(kinds?.length, id).toBeGreaterThan(0);
          for (const kind of kinds ?? []) expect(kind, id).toMatch(/^[A-Z_]+#\*$/);
        }
      }
    }
  });

  test("lets only the functions that need it access an organisation's own item", () => {
    const accessing = permissionsIn(template).filter(([, statements]) =>
      JSON.stringify(statements).includes('"ORGANISATION#*"'),
    );

    expect(accessing.map(([id]) => id.replace(/Role[0-9A-F]{8}$/, "")).toSorted()).toEqual([
      "PlatformFunctionsInspectCandidate",
      "PlatformFunctionsIssueApiKey",
    ]);
  });

  test("passes to each function invoked by callers every table, queue and secret that it may use", () => {
    const called = resources("AWS::Lambda::Function").filter(([id]) =>
      /^(?:CandidatesApi|PlatformFunctions)/.test(id),
    );
    expect(called.length).toBeGreaterThan(0);
    const permissions = new Map(permissionsIn(template));
    for (const [id, { Properties }] of called) {
      const { "Fn::GetAtt": role } = Properties["Role"] as { "Fn::GetAtt": [string, string] };
      const statements = permissions.get(role[0]);
      expect(statements?.length, id).toBeGreaterThan(0);
      const used = ["AWS::DynamoDB::Table", "AWS::SQS::Queue", "AWS::SecretsManager::Secret"]
        .flatMap((type) => Object.keys(template.findResources(type)))
        .filter((resource) => JSON.stringify(statements).includes(`"${resource}"`));
      for (const resource of used) {
        expect(JSON.stringify(Properties["Environment"]), id).toContain(`"${resource}"`);
      }
    }
  });

  test("traces functions, but not API Gateway, whose traces contain query strings", () => {
    for (const [id, { Properties }] of resources("AWS::ApiGateway::Stage")) {
      expect(Properties["TracingEnabled"], id).toBe(false);
    }
    for (const [id, { Properties }] of resources("AWS::Lambda::Function")) {
      expect(Properties["TracingConfig"], id).toEqual({ Mode: "Active" });
    }
  });

  test("logs in the access log only fields in which a caller cannot send a quote", () => {
    const [[, { Properties }]] = resources("AWS::ApiGateway::Stage") as [[string, { Properties: object }]];
    const { Format } = (Properties as { AccessLogSetting: { Format: string } }).AccessLogSetting;
    expect(Format.match(/\$context\.[\w.]+/g)).toEqual([
      "$context.requestId",
      "$context.extendedRequestId",
      "$context.awsEndpointRequestId",
      "$context.requestTimeEpoch",
      "$context.httpMethod",
      "$context.resourcePath",
      "$context.status",
      "$context.error.responseType",
      "$context.integrationStatus",
      "$context.authorizer.integrationStatus",
      "$context.responseLatency",
      "$context.responseLength",
      "$context.identity.sourceIp",
      "$context.authorizer.orgId",
      "$context.authorizer.keyId",
    ]);
  });

  test("limits batches to as many candidates a second as the stage allows one by one, on a whole vCPU", () => {
    const [[, { Properties }]] = resources("AWS::ApiGateway::Stage") as [[string, { Properties: object }]];
    const { MethodSettings } = Properties as { MethodSettings: Record<string, unknown>[] };
    const limitsOf = (path: string) => MethodSettings.find(({ ResourcePath }) => ResourcePath === path);
    const single = limitsOf("/*");
    expect(limitsOf("/~1v1~1candidates")).toBeUndefined();
    expect(limitsOf("/~1v1~1candidate-batches")).toMatchObject({
      HttpMethod: "POST",
      ThrottlingRateLimit: Number(single?.["ThrottlingRateLimit"]) / 100,
      ThrottlingBurstLimit: Number(single?.["ThrottlingBurstLimit"]) / 100,
    });
    template.hasResourceProperties("AWS::Lambda::Function", {
      FunctionName: Match.stringLikeRegexp("create-candidate-batch$"),
      MemorySize: 1_769,
      Timeout: 25,
    });
  });

  test("logs neither queries nor bodies in API Gateway, and nothing outside of the stack", () => {
    template.hasResourceProperties("AWS::ApiGateway::Stage", {
      StageName: name.replace("CandidateService-", ""),
      AccessLogSetting: {
        Format: Match.not(Match.stringLikeRegexp("querystring|requestOverride|context\\.path")),
      },
    });
    for (const [, { Properties }] of resources("AWS::ApiGateway::Stage")) {
      for (const setting of Properties["MethodSettings"] as unknown[]) {
        expect(setting).toMatchObject({ DataTraceEnabled: false, LoggingLevel: "OFF" });
      }
    }
  });
});

test("production is deployed to the account and region that its settings name, and warns of alarms for nobody", () => {
  const deployTo = { account: "111122223333", region: "eu-west-1" };

  const pinned = stackOf({ ...productionSettings, deployTo });

  expect(pinned).toMatchObject(deployTo);
  const warnings = pinned.node.findAll().flatMap(({ node }) => node.metadata);
  expect(warnings.filter(({ type }) => type === "aws:cdk:warning")).toEqual([
    expect.objectContaining({ data: expect.stringContaining("Nobody is notified") }),
  ]);
});

test("deleting the stack keeps production's table, and deletes development's", () => {
  production[1].hasResource("AWS::DynamoDB::Table", {
    DeletionPolicy: "Retain",
    Properties: { DeletionProtectionEnabled: true },
  });
  development[1].hasResource("AWS::DynamoDB::Table", {
    DeletionPolicy: "Delete",
    Properties: { DeletionProtectionEnabled: false },
  });
});

test("every function but the sandbox's has the same permissions in production as in development", () => {
  const [inDevelopment, inProduction] = [development, production].map(([, template]) => {
    const roles = Object.values(template.findResources("AWS::Lambda::Function")).map(
      ({ Properties }) => Properties["Role"]["Fn::GetAtt"][0],
    );
    return Object.entries(template.findResources("AWS::IAM::Role"))
      .filter(([id]) => roles.includes(id) && !id.includes("Sandbox"))
      .map(([id, { Properties }]) => [id, Properties]);
  });
  expect(inProduction).not.toEqual([]);
  expect(inProduction).toEqual(inDevelopment);
});

test("the environments share no resource name, so that one account can contain both", () => {
  const names = [development, production].map(([, template]) =>
    Object.values(template.findResources("AWS::Lambda::Function")).map(
      (resource) => (resource as { Properties: { FunctionName: string } }).Properties.FunctionName,
    ),
  );
  expect(new Set(names.flat()).size).toBe(names.flat().length);
});

/** Namespace, name and dimensions of every metric that the alarms and the dashboard look at. */
function measured(template: Template): string[][] {
  const alarming = Object.values(template.findResources("AWS::CloudWatch::Alarm")).flatMap(({ Properties }) =>
    metricsOf(Properties as AlarmProperties),
  );
  return [...shownMetrics(template), ...alarming].filter(([namespace]) => namespace !== undefined);
}

describe.each([development, production])("the alarms of %s", (_name, template) => {
  const alarms = Object.entries(template.findResources("AWS::CloudWatch::Alarm")) as [
    string,
    { Properties: Record<string, unknown> },
  ][];

  test("notify the topic and name an existing section of the runbook", () => {
    const headings = readFileSync("docs/operations.md", "utf8").match(/^### .*$/gm) ?? [];
    expect(alarms.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of alarms) {
      expect(Properties["AlarmActions"], id).toHaveLength(1);
      // They are recorded at least every five minutes or, for backups, every day.
      const needsData = /ReleaseDelay|BackupFailed|StreamStopped|SweepStopped/.test(id);
      expect(Properties["TreatMissingData"], id).toBe(needsData ? "breaching" : "notBreaching");
      // A new environment has no data yet, which is no fault.
      expect(Properties["WarmUpConfiguration"] !== undefined, id).toBe(needsData);
      const [, section] = String(Properties["AlarmDescription"]).match(/docs\/operations\.md#(\w+)$/) ?? [];
      expect(headings, `${id} has no section in docs/operations.md`).toContain(`### ${section}`);
    }
  });

  test("watch whether Lambda polls the stream for each function that consumes it", () => {
    const mappings = Object.entries(template.findResources("AWS::Lambda::EventSourceMapping")).filter(
      ([, { Properties }]) => JSON.stringify(Properties["EventSourceArn"]).includes("StreamArn"),
    );
    expect(mappings).toHaveLength(2);
    for (const [id, { Properties }] of mappings) {
      expect(Properties["MetricsConfig"]).toEqual({ Metrics: ["EventCount"] });
      template.hasResourceProperties("AWS::CloudWatch::Alarm", {
        Namespace: "AWS/Lambda",
        MetricName: "PolledEventCount",
        Dimensions: [{ Name: "EventSourceMappingUUID", Value: { Ref: id } }],
        Statistic: "SampleCount",
        ComparisonOperator: "LessThanThreshold",
        Threshold: 1,
      });
    }
  });

  test("and the dashboard use exactly the metrics that deliver-webhook and create-candidate-batch emit", () => {
    const [{ Properties }] = Object.values(
      template.findResources("AWS::Lambda::Function", {
        Properties: { FunctionName: Match.stringLikeRegexp("deliver-webhook$") },
      }),
    ) as [{ Properties: { Environment: { Variables: Record<string, string> } } }];
    const { POWERTOOLS_METRICS_NAMESPACE, POWERTOOLS_SERVICE_NAME } = Properties.Environment.Variables;

    // These are counted from logs: test/infra/gates.test.ts, and below.
    const counted = ["Faults", "Unauthorized"];
    const watched = measured(template).filter(
      ([namespace, metric = ""]) => !namespace?.startsWith("AWS/") && !counted.includes(metric),
    );
    for (const [namespace, , ...dimensions] of watched) {
      expect([namespace, ...dimensions]).toEqual([
        POWERTOOLS_METRICS_NAMESPACE,
        "service",
        POWERTOOLS_SERVICE_NAME,
      ]);
    }
    expect(new Set(watched.map(([, metric]) => metric))).toEqual(
      new Set([...Object.keys(DELIVERY_METRICS), BATCH_FAULTS]),
    );
  });

  test("watch how many lines of the access log have the status 401", () => {
    const [{ Properties: stage }] = Object.values(template.findResources("AWS::ApiGateway::Stage")) as [
      { Properties: { AccessLogSetting: { Format: string; DestinationArn: unknown } } },
    ];
    const lineWith = (status: string) => stage.AccessLogSetting.Format.replace("$context.status", status);
    const filters = Object.values(template.findResources("AWS::Logs::MetricFilter")).map(
      (resource) => resource["Properties"] as MetricFilter,
    );
    const [filter, ...others] = filters.filter((each) => published(each, lineWith("401")) !== undefined);
    if (!filter || others.length > 0) throw new Error("One filter matches a line with 401.");

    for (const status of ["200", "400", "403", "404", "500"]) {
      expect(published(filter, lineWith(status)), status).toBeUndefined();
    }
    const { Ref: logGroup } = filter.LogGroupName as { Ref: string };
    expect(JSON.stringify(stage.AccessLogSetting.DestinationArn)).toContain(`{"Ref":"${logGroup}"}`);
    const [{ MetricNamespace, MetricName, MetricValue }] = filter.MetricTransformations;
    expect(MetricValue).toBe("1");
    expect(measured(template)).toContainEqual([MetricNamespace, MetricName]);
  });

  test("watch the age of every queue that a function consumes", () => {
    const consumed = Object.values(template.findResources("AWS::Lambda::EventSourceMapping")).flatMap(
      ({ Properties: { EventSourceArn } }) => {
        const [id, attribute] = EventSourceArn["Fn::GetAtt"];
        return attribute === "Arn" ? [id] : [];
      },
    );
    expect(consumed).toHaveLength(4);
    for (const id of consumed) {
      template.hasResourceProperties("AWS::CloudWatch::Alarm", {
        MetricName: "ApproximateAgeOfOldestMessage",
        Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": [id, "QueueName"] } }],
        EvaluationPeriods: 3,
        Statistic: "Maximum",
      });
    }
  });

  test("and the dashboard cover every queue, function and table of the stack", () => {
    const [dashboard] = Object.values(template.findResources("AWS::CloudWatch::Dashboard"));
    const ids = Object.keys(template.toJSON()["Resources"]);
    const watched = JSON.stringify([alarms, dashboard]).match(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g) ?? [];
    for (const reference of watched) {
      const id = reference.split('"').at(-2) ?? "";
      if (!id.startsWith("AWS")) expect(ids).toContain(id);
    }
    for (const type of ["AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::DynamoDB::Table"]) {
      for (const id of Object.keys(template.findResources(type))) {
        expect(JSON.stringify([alarms, dashboard]), id).toContain(id);
      }
    }
  });
});

interface Alias {
  readonly UpdatePolicy: { readonly CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: string } } };
}

describe("in production", () => {
  const template = production[1];
  const aliases = template.findResources("AWS::Lambda::Alias") as Record<string, Alias>;
  const groups = template.findResources("AWS::CodeDeploy::DeploymentGroup") as Record<
    string,
    { Properties: { AlarmConfiguration: { Enabled: boolean; Alarms: unknown[] } } }
  >;
  const properties = (type: string) =>
    Object.values(template.findResources(type)).map(
      (resource) => (resource as { Properties: Record<string, unknown> }).Properties,
    );

  test("every function is invoked by an alias, except those deployed with the routes, of a schedule, or of recoveries", () => {
    const isGradual = (invoker: unknown) =>
      !/GetDocumentation|RefuseMethod|ReleaseDeliveries|StartRecovery|GetRecovery|RecoverEvents/.test(
        JSON.stringify(invoker),
      );
    const invokers = [
      ...properties("AWS::ApiGateway::Method")
        .map(({ Integration }) => Integration as { Type: string })
        .filter(({ Type }) => Type === "AWS_PROXY"),
      ...properties("AWS::ApiGateway::Authorizer").map(({ AuthorizerUri }) => AuthorizerUri),
      ...properties("AWS::Lambda::EventSourceMapping").map(({ FunctionName }) => FunctionName),
    ];
    const invoked = invokers
      .filter(isGradual)
      .map((invoker) => Object.keys(aliases).find((alias) => JSON.stringify(invoker).includes(`"${alias}"`)));
    expect(invoked).not.toContain(undefined);
    expect(new Set(invoked)).toEqual(new Set(Object.keys(aliases)));
    for (const { FunctionName } of properties("AWS::Lambda::Permission").filter(isGradual)) {
      expect(Object.keys(aliases)).toContain((FunctionName as { Ref: string }).Ref);
    }
  });

  test("each alias is deployed as a canary, and rolled back if an alarm fires", () => {
    expect(Object.keys(groups)).toHaveLength(Object.keys(aliases).length);
    for (const [id, { UpdatePolicy }] of Object.entries(aliases)) {
      const group = groups[UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref];
      expect(group, id).toMatchObject({
        Properties: {
          DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent15Minutes",
          AutoRollbackConfiguration: {
            Enabled: true,
            Events: expect.arrayContaining(["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"]),
          },
          AlarmConfiguration: { Enabled: true },
        },
      });
      // The API's, and its own (test/infra/gates.test.ts).
      expect(group?.Properties.AlarmConfiguration.Alarms, id).toHaveLength(2);
    }
  });

  test("an urgent deployment is immediate and checks no alarm", () => {
    const stack = synthesisable({ urgent: "true" }).stacks[1];
    const urgent = stack?.node.findAll().filter((node) => node instanceof CfnDeploymentGroup) ?? [];
    expect(urgent).toHaveLength(Object.keys(groups).length);
    for (const group of urgent) {
      expect(stack?.resolve(group.alarmConfiguration)).toMatchObject({ enabled: false });
      expect(group.deploymentConfigName).toBe("CodeDeployDefault.LambdaAllAtOnce");
    }
  });

  test("the table is backed up daily and monthly into a locked vault that is retained with the stack deleted", () => {
    template.hasResourceProperties("AWS::Backup::BackupPlan", {
      BackupPlan: {
        BackupPlanRule: [
          Match.objectLike({ RuleName: "Daily", Lifecycle: { DeleteAfterDays: 3 } }),
          Match.objectLike({ RuleName: "Monthly", Lifecycle: { DeleteAfterDays: 90 } }),
        ],
      },
    });
    const [table] = Object.keys(template.findResources("AWS::DynamoDB::Table"));
    template.hasResourceProperties("AWS::Backup::BackupSelection", {
      BackupSelection: { Resources: [{ "Fn::GetAtt": [table, "Arn"] }] },
    });
    template.hasResource("AWS::Backup::BackupVault", {
      DeletionPolicy: "RetainExceptOnCreate",
      Properties: { LockConfiguration: { MinRetentionDays: 3, MaxRetentionDays: 90 } },
    });
  });

  test("an alarm fires if no backup was completed in a day, whatever became of the job", () => {
    const [vault] = Object.keys(template.findResources("AWS::Backup::BackupVault"));
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      Namespace: "AWS/Backup",
      MetricName: "NumberOfBackupJobsCompleted",
      Dimensions: [{ Name: "BackupVaultName", Value: { "Fn::GetAtt": [vault, "BackupVaultName"] } }],
      Statistic: "Sum",
      Period: 24 * 60 * 60,
      EvaluationPeriods: 1,
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      TreatMissingData: "breaching",
      // Days, not any 24 hours: a backup may begin hours later than that of the day before.
      EvaluationWindow: { WallClockWindow: { Timezone: "UTC" } },
    });
  });

  test("the role with which AWS Backup deletes expired backups outlives the stack, as the vault does", () => {
    const [role] = Object.values(template.findResources("AWS::Backup::BackupSelection")).map(
      ({ Properties }): string => Properties["BackupSelection"].IamRoleArn["Fn::GetAtt"][0],
    );
    expect(template.findResources("AWS::IAM::Role")[role ?? ""]).toMatchObject({
      DeletionPolicy: "RetainExceptOnCreate",
      UpdateReplacePolicy: "Retain",
      Properties: {
        ManagedPolicyArns: ["Backup", "Restores"].map((what) => ({
          "Fn::Join": [
            "",
            expect.arrayContaining([`:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor${what}`]),
          ],
        })),
      },
    });
  });
});

test("production's stack has each resource that the runbook's commands look up exactly once", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const named = (pattern: RegExp) => [...runbook.matchAll(pattern)].map(([, name = ""]) => name);
  const { Resources, Outputs } = production[1].toJSON();
  for (const type of named(/ResourceType=='([\w:]+)'\]/g)) production[1].resourceCountIs(type, 1);
  for (const prefix of named(/\?starts_with\(LogicalResourceId,'(\w+)'\)/g)) {
    expect(Object.keys(Resources).filter((id) => id.startsWith(prefix))).toHaveLength(1);
  }
  for (const prefix of named(
    /ResourceType=='AWS::SQS::Queue' && starts_with\(LogicalResourceId,'(\w+)'\)/g,
  )) {
    const queues = Object.keys(production[1].findResources("AWS::SQS::Queue"));
    expect(queues.filter((id) => id.startsWith(prefix))).toHaveLength(1);
  }
  for (const prefix of named(/starts_with\(OutputKey,'(\w+)'\)/g)) {
    expect(Object.keys(Outputs).filter((id) => id.startsWith(prefix))).toHaveLength(1);
  }
});

test("the restore in the runbook stops every method but the documentation's, then restores the template's limits", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const [stage] = Object.values(production[1].findResources("AWS::ApiGateway::Stage"));
  const settings = stage?.["Properties"].MethodSettings as {
    readonly ResourcePath: string;
    readonly HttpMethod: string;
    readonly ThrottlingRateLimit: number;
    readonly ThrottlingBurstLimit: number;
  }[];
  const limits = settings
    .filter(({ ResourcePath }) => !/^\/($|~1docs|~1openapi|~1llms)/.test(ResourcePath))
    .flatMap(({ ResourcePath, HttpMethod, ThrottlingRateLimit, ThrottlingBurstLimit }) => [
      [`${ResourcePath}/${HttpMethod}/throttling/rateLimit`, String(ThrottlingRateLimit)] as const,
      [`${ResourcePath}/${HttpMethod}/throttling/burstLimit`, String(ThrottlingBurstLimit)] as const,
    ]);

  const patched = runbook
    .split("\n")
    .filter((line) => line.includes("apigateway update-stage"))
    .map((line) =>
      Object.fromEntries(
        [...line.matchAll(/'op=replace,path=(\S+),value=(\d+)'/g)].map(([, path, value]) => [path, value]),
      ),
    );

  expect(limits.length).toBeGreaterThan(2);
  expect(patched).toEqual([
    Object.fromEntries(limits.map(([path]) => [path, "0"])),
    Object.fromEntries(limits),
  ]);
});

test("the restore in the runbook gives a table every setting of the template that a backup does not restore", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const [table] = Object.values(production[1].findResources("AWS::DynamoDB::Table"));

  // Amazon DynamoDB API, RestoreTableToPointInTime; AWS Backup developer guide, "Restore a Amazon DynamoDB table".
  expect(table?.["Properties"]).toMatchObject({
    StreamSpecification: { StreamViewType: "NEW_IMAGE" },
    TimeToLiveSpecification: { AttributeName: "deleteAfter", Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: true,
    SSESpecification: { SSEEnabled: true },
  });
  for (const setting of [
    "--stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE",
    "--time-to-live-specification Enabled=true,AttributeName=deleteAfter",
    "--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true",
    "--table-name $RESTORED --deletion-protection-enabled",
    "--sse-specification Enabled=true",
    // CloudFormation adds the stack's tags when it creates the table.
    "aws dynamodb tag-resource",
  ]) {
    expect(runbook).toContain(setting);
  }
});

test("the restore in the runbook redrives failed batches before the swap replaces the stream", () => {
  const restore = readFileSync("docs/operations.md", "utf8").split("\n## Restore\n")[1] ?? "";
  const redrive = restore.indexOf("dead-letters redrive");
  expect(redrive).toBeGreaterThan(restore.indexOf("**Stop requests.**"));
  expect(redrive).toBeLessThan(restore.indexOf("--import-existing-resources"));
});

test("development deploys at once, has no reserved concurrency and no backups", () => {
  const template = development[1];
  template.resourceCountIs("AWS::Lambda::Alias", 0);
  template.resourceCountIs("AWS::CodeDeploy::DeploymentGroup", 0);
  template.resourceCountIs("AWS::Backup::BackupPlan", 0);
  expect(JSON.stringify(template.toJSON())).not.toContain("ReservedConcurrentExecutions");
});

test("production has no sandbox: no path, function, role or log of it", () => {
  const nameOf = (template: Template) => JSON.stringify(template.toJSON()).match(/sandbox/gi) ?? [];

  expect(nameOf(development[1])).not.toEqual([]);
  expect(nameOf(production[1])).toEqual([]);
});

test("each stack is tagged with its service and environment", () => {
  const { artifacts } = JSON.parse(readFileSync(posix.join(inject("assembly"), "manifest.json"), "utf8"));

  for (const { name: environment } of environments) {
    expect(artifacts[`CandidateService-${environment}`].properties.tags).toEqual({
      service: "candidate-service",
      environment,
    });
  }
});

// Judged by the compiler: an operation without a grant does not compile.
test("exactly the operations have grants", () => {
  expectTypeOf<keyof ReturnType<typeof operationGrants>>().toEqualTypeOf<OperationId>();
});

describe("an opt-in setting:", () => {
  test.each([
    ["accepted", ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"]],
    ["refused", []],
  ] as const)(
    "request-erasure with erasure requests %s has the table permissions %j",
    (erasureRequests, expected) => {
      const made = stackOf({ ...developmentSettings, erasureRequests })
        .node.findAll()
        .filter(({ node }) => node.path.includes("/RequestErasure"));
      const requestErasure = made.find((node) => node instanceof CfnFunction);
      const role = made.find((node) => node instanceof CfnRole);
      if (!requestErasure || !role) throw new Error("The function has a role.");

      const [{ policyDocument }]: [{ policyDocument: { Statement: Statement[] } }] = role.stack.resolve(
        role.policies,
      );
      const actions = policyDocument.Statement.flatMap(({ Action }) => Action);
      expect(actions.filter((action) => action.startsWith("dynamodb:"))).toEqual(expected);
      expect(role.stack.resolve(requestErasure.environment)).toMatchObject({
        // Without the table's name the function would not start.
        variables: { ERASURE_REQUESTS: erasureRequests, TABLE_NAME: expect.anything() },
      });
    },
  );

  test("a budget covers the resources with the environment's tag and notifies at two thresholds", () => {
    const stack = new Stack();
    new CostBudget(stack, "CostBudget", {
      budget: { usDollars: 250, address: "platform@example.com" },
      tag: { key: "environment", value: "production" },
    });

    const [budget] = Object.values(Template.fromStack(stack).findResources("AWS::Budgets::Budget"));
    expect(budget?.["Properties"]).toMatchObject({
      Budget: {
        BudgetType: "COST",
        TimeUnit: "MONTHLY",
        BudgetLimit: { Amount: 250, Unit: "USD" },
        CostFilters: { TagKeyValue: ["user:environment$production"] },
      },
      NotificationsWithSubscribers: (
        [
          ["ACTUAL", 80],
          ["FORECASTED", 100],
        ] as const
      ).map(([NotificationType, Threshold]) => ({
        Notification: {
          NotificationType,
          Threshold,
          ThresholdType: "PERCENTAGE",
          ComparisonOperator: "GREATER_THAN",
        },
        Subscribers: [{ SubscriptionType: "EMAIL", Address: "platform@example.com" }],
      })),
    });
  });

  test("an alarm address subscribes to the topic of the alarms, and a budget is made in production, without a warning", () => {
    const budget = { usDollars: 250, address: "finance@example.com" };
    const stack = stackOf({ ...productionSettings, alarmAddress: "platform@example.com", budget });
    const template = Template.fromStack(stack);

    expect(Annotations.fromStack(stack).findWarning("*", Match.anyValue())).toEqual([]);
    const [topic] = Object.keys(template.findResources("AWS::SNS::Topic"));
    template.hasResourceProperties("AWS::SNS::Subscription", {
      Protocol: "email",
      Endpoint: "platform@example.com",
      TopicArn: { Ref: topic },
    });
    template.resourceCountIs("AWS::Budgets::Budget", 1);
  });

  test("each restored table has a backup selection of another name, which AWS Backup accepts", () => {
    const long = `${"candidates-".repeat(10)}restored`;
    const [own] = Object.values(production[1].findResources("AWS::Backup::BackupSelection"));
    const others = [`${long}-1`, `${long}-2`].map((restoredTable) => {
      const stack = stackOf({ ...productionSettings, restoredTable });
      const [selection] = stack.node.findAll().filter((node) => node instanceof CfnBackupSelection);
      return stack.resolve(selection?.backupSelection).selectionName;
    });

    const names: string[] = [own?.["Properties"].BackupSelection.SelectionName, ...others];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9\-_.]{1,50}$/);
  });

  test("a restored table is imported unchanged, and the previous one is kept", () => {
    const tableOf = (restoredTable?: string) => {
      const stack = new Stack();
      new CandidateTable(stack, "CandidateTable", {
        settings: { ...productionSettings, ...(restoredTable && { restoredTable }) },
      });
      const [table] = Object.entries(Template.fromStack(stack).findResources("AWS::DynamoDB::Table"));
      const [id = "", resource] = table ?? [];
      return { id, resource: resource as { readonly Properties: object } };
    };

    const own = tableOf();
    const restored = tableOf("candidates-restored");

    expect(restored.id).not.toBe(own.id);
    expect(restored.resource).toEqual({
      ...own.resource,
      Properties: { ...own.resource.Properties, TableName: "candidates-restored" },
    });
    // CloudFormation imports no resource without one, and leaves the table before where it is.
    expect(own.resource).toMatchObject({ DeletionPolicy: "Retain" });
  });
});
