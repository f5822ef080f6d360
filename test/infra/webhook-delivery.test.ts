import { marshall } from "@aws-sdk/util-dynamodb";
import { Match } from "aws-cdk-lib/assertions";
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { describe, expect, inject, test, vi } from "vitest";
import { WRITE_PREFIX } from "#candidates/store/item/section-reference";
import { RECEIVES } from "#webhooks/delivery/retry-schedule";
import { packEvents } from "#webhooks/feed/feed-item";
import { AHEAD_MS, WORKS_FOR_MS } from "#webhooks/recoveries/recover";
import { DELIVERY_LIMITS } from "../../infra/delivery-limits.ts";
import { environments } from "../../infra/environments.ts";
import { parsePattern } from "../../local/event-sources/record-filter.ts";
import { anEvent, SLOWEST_BATCH_MS, SLOWEST_DELIVERY_MS } from "../webhooks/builders.ts";
import { permissionsIn } from "./permissions.ts";
import { settingsOf, stackOf } from "./stacks.ts";
import { resourcesIn, templatesIn } from "./synthesised.ts";

// What the functions are made of is not tested here: to bundle it for each synthesis takes seconds.
vi.mock("../../infra/bundles.ts", () => ({ bundleOf: () => "functions" }));

const [development, production] = templatesIn(inject("assembly"));

test("the limits for bursts are provisioned pollers, and no maximum concurrency, which AWS would refuse", () => {
  const webhooks = { ...settingsOf("development").webhooks, ...DELIVERY_LIMITS.forBursts };
  const stack = stackOf({ ...settingsOf("development"), webhooks });
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

describe.each([development, production])("webhook delivery in %s", (name, template) => {
  const resources = resourcesIn(template);

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

  test("sends publish-events writes that fired an event, and no items of the event feed", () => {
    const [mapping] = resources("AWS::Lambda::EventSourceMapping").filter(([id]) => id.includes("Outbox"));
    const criteria = mapping?.[1].Properties["FilterCriteria"] as { Filters: { Pattern: string }[] };
    const passes = parsePattern(criteria.Filters.map(({ Pattern }) => Pattern));
    const write = (item: object) => ({ dynamodb: { NewImage: marshall(item) } });

    expect(passes(write({ pk: "CANDIDATE#1", sk: "RECORD", event: { id: "evt_1" } }))).toBe(true);
    expect(passes(write({ pk: "CANDIDATE#1", sk: "RECORD" }))).toBe(false);
    expect(passes(write({ pk: "FEED#org-1#0", sk: "1", events: packEvents([anEvent()]) }))).toBe(false);
  });

  test("sends sweep-candidate-parts the notices that were removed, and none that is written", () => {
    const [mapping] = resources("AWS::Lambda::EventSourceMapping").filter(([id]) =>
      id.includes("ExpiredNotices"),
    );
    const criteria = mapping?.[1].Properties["FilterCriteria"] as { Filters: { Pattern: string }[] };
    const passes = parsePattern(criteria.Filters.map(({ Pattern }) => Pattern));
    const change = (eventName: string, sk: string) => ({
      eventName,
      dynamodb: { Keys: marshall({ pk: "CANDIDATE#1", sk }) },
    });

    expect(passes(change("REMOVE", `${WRITE_PREFIX}1`))).toBe(true);
    expect(passes(change("INSERT", `${WRITE_PREFIX}1`))).toBe(false);
    expect(passes(change("REMOVE", "RECORD"))).toBe(false);
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
    expect(recovery).toBeGreaterThan(WORKS_FOR_MS / 1000);
    // Between two runs, the deliveries of a recovery go on.
    expect(6 * recovery).toBeLessThan(AHEAD_MS / 1000);
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
});
