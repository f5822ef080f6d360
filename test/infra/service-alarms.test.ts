import { readFileSync } from "node:fs";
import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, inject, test } from "vitest";
import { BATCH_FAULTS } from "#candidates/store/receive-batch";
import { DELIVERY_METRICS } from "#webhooks/delivery/delivery-metrics";
import { type AlarmProperties, metricsOf, serviceAlarmsIn, shownMetrics } from "./alarms.ts";
import { type MetricFilter, published } from "./metric-filter.ts";
import { templatesIn } from "./synthesised.ts";

const [development, production] = templatesIn(inject("assembly"));

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
    const counted = ["Faults", "Unauthorized", "RateLimited"];
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

  test("watch how many requests the stage's limits refuse, without those for the documentation", () => {
    const [{ Properties: stage }] = Object.values(template.findResources("AWS::ApiGateway::Stage")) as [
      { Properties: { AccessLogSetting: { Format: string } } },
    ];
    const lineWith = (errorType: string, resource: string) =>
      stage.AccessLogSetting.Format.replace("$context.error.responseType", errorType).replace(
        "$context.resourcePath",
        resource,
      );
    const [filter] = Object.values(template.findResources("AWS::Logs::MetricFilter"))
      .map((resource) => resource["Properties"] as MetricFilter)
      .filter((each) => published(each, lineWith("THROTTLED", "/v1/candidates")) !== undefined);
    if (!filter) throw new Error("A filter matches a request that was refused by a limit.");

    expect(published(filter, lineWith("WAF_FILTERED", "/v1/candidates"))).toBeUndefined();
    expect(published(filter, lineWith("-", "/v1/candidates"))).toBeUndefined();
    expect(published(filter, lineWith("THROTTLED", "/docs"))).toBeUndefined();
    const [{ MetricNamespace, MetricName, MetricValue }] = filter.MetricTransformations;
    expect(MetricValue).toBe("1");
    expect(measured(template)).toContainEqual([MetricNamespace, MetricName]);
  });

  test.each(["ConsumerErrors", "DeliveryFaults"])(
    "include %s, which stays on while messages fail each time that they return to their queue",
    (name) => {
      const { EvaluationPeriods = 0, DatapointsToAlarm = EvaluationPeriods } =
        serviceAlarmsIn(template)[name] ?? {};
      const returns = Object.entries(template.findResources("AWS::SQS::Queue"))
        .filter(([id]) => /^WebhookDelivery(?:Delivery|Side|Retry)Queue/.test(id))
        .map(([, { Properties }]) => Properties["VisibilityTimeout"] as number);

      expect(returns).toHaveLength(3);
      // Their periods are five minutes (alarms.test.ts), so that each failure is in a period of its own.
      for (const seconds of returns) {
        expect(EvaluationPeriods * 300).toBeGreaterThan(DatapointsToAlarm * seconds);
      }
    },
  );

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
