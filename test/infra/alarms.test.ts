import { globSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { DELIVERY_METRICS } from "#webhooks/delivery/delivery-metrics";
import { STANDING } from "../../tools/costs/units.ts";
import {
  fires,
  firingRule,
  mathAlarms,
  metricIds,
  metricsOf,
  serviceAlarmsIn,
  shownMetrics,
  watched,
  widgetsOf,
} from "./alarms.ts";
import { evaluate, type MissingPoints } from "./metric-math.ts";
import { templatesIn } from "./synthesised.ts";

const [development, production] = templatesIn(inject("assembly"));

const MISSING_POINTS: readonly MissingPoints[] = ["missing is zero", "missing is contagious"];

/**
 * Metrics that usually have data when the others have some, and are not above anything by themselves: see
 * lib/webhooks/delivery/delivery-metrics.ts and infra/candidate-table.ts. The table's consumed capacity may have none
 * (below), and so may what the web ACL allows: test/infra/edge/edge-protection.test.ts.
 */
const DENOMINATORS: Readonly<Record<string, number>> = {
  calls: 100,
  delivered: 0,
  consumed: 50,
  allowed: 100,
};

describe.each([development, production])("in %s, the alarm", (_name, template) => {
  const alarms = mathAlarms(template);
  const alarm = (name: string) => {
    const [found, ...others] = alarms.filter(({ id }) => id.startsWith(`Observability${name}`));
    if (!found || others.length > 0) throw new Error(`There is one alarm ${name}.`);
    return found;
  };

  test("definitions include metric math", () => {
    expect(alarms.length).toBeGreaterThanOrEqual(5);
  });

  describe.each(alarms)("$id", (each) => {
    const constant = (value: number) => Array<number>(each.periods).fill(value);
    const denominators = Object.fromEntries(
      metricIds(each).flatMap((id) => (id in DENOMINATORS ? [[id, constant(DENOMINATORS[id] ?? 0)]] : [])),
    );
    const watchedMetrics = metricIds(each).filter((id) => !(id in DENOMINATORS));

    // CloudWatch alarms, limits: 10 metrics. PutMetricAlarm: 10 expressions, one of which returns data.
    test("satisfies CloudWatch's limits", () => {
      const { queries } = each;
      expect(metricIds(each).length).toBeLessThanOrEqual(10);
      expect(queries.length - metricIds(each).length).toBeLessThanOrEqual(10);
      expect(queries.filter(({ ReturnData }) => ReturnData !== false)).toHaveLength(1);
      expect(new Set(queries.map(({ Id }) => Id)).size).toBe(queries.length);
      const periods = queries.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Period] : []));
      expect(new Set(periods).size).toBe(1);
    });

    // Amazon CloudWatch user guide, "Using metric math", FILL: otherwise it may be stuck in one state.
    test("allows for a latest period that FILL fills because its data is late", () => {
      const isFilled = each.queries.some(({ Expression }) => Expression?.includes("FILL("));
      expect(each.breaching).toBeLessThan(isFilled ? each.periods : each.periods + 1);
    });

    test.each(MISSING_POINTS)("is one series that CloudWatch can compute if %s", (missingPoints) => {
      const all = Object.fromEntries(metricIds(each).map((id) => [id, constant(1)]));
      expect(watched(each, all, missingPoints)).toEqual(constant(expect.any(Number) as unknown as number));
    });

    test.each(MISSING_POINTS)("does not fire without data if %s", (missingPoints) => {
      expect(fires(each, {}, missingPoints)).toBe(false);
      expect(fires(each, denominators, missingPoints)).toBe(false);
    });

    test.each(
      MISSING_POINTS.flatMap((missingPoints) => watchedMetrics.map((id) => [id, missingPoints] as const)),
    )("fires for %s alone without data of the others if %s", (id, missingPoints) => {
      expect(fires(each, { ...denominators, [id]: constant(10_000) }, missingPoints)).toBe(true);
    });
  });

  test.each(MISSING_POINTS)(
    "ServerErrors has a rate of 0 or no data without calls if %s",
    (missingPoints) => {
      const rate = alarm("ServerErrors");
      expect(watched(rate, { calls: [0, 4, 4], serverErrors: [0, 1, 0] }, missingPoints)).toEqual([0, 25, 0]);
      expect(watched(rate, { calls: [undefined, 4, 4] }, missingPoints)).toEqual([undefined, 0, 0]);
    },
  );

  test.each(MISSING_POINTS)(
    "Unauthorized fires if most of many requests are refused, if %s",
    (missingPoints) => {
      const each = alarm("Unauthorized");
      const all = (value: number) => Array<number>(each.periods).fill(value);
      const share = (unauthorized: number, calls: number) =>
        watched(each, { unauthorized: all(unauthorized), calls: all(calls) }, missingPoints);
      expect(share(900, 1_000)).toEqual(all(90));
      expect(share(99, 99)).toEqual(all(0));
      expect(fires(each, { unauthorized: all(510), calls: all(1_000) }, missingPoints)).toBe(true);
      expect(fires(each, { unauthorized: all(500), calls: all(1_000) }, missingPoints)).toBe(false);
      expect(fires(each, { calls: all(1_000) }, missingPoints)).toBe(false);
      // The latest period's count of 401 may be late, and one period alone may be one caller's mistake.
      expect(fires(each, { unauthorized: [900, 900, undefined], calls: all(1_000) }, missingPoints)).toBe(
        true,
      );
      expect(fires(each, { unauthorized: [900, 0, 0], calls: all(1_000) }, missingPoints)).toBe(false);
    },
  );

  test("Latency fires only if there are enough requests for one in a hundred", () => {
    const each = alarm("Latency");
    const all = (value: number) => Array<number>(each.periods).fill(value);
    const isSlow = (latency: number, calls: number) =>
      fires(each, { latency99: all(latency), calls: all(calls) }, "missing is zero");
    expect(isSlow(2_001, 100)).toBe(true);
    expect(isSlow(2_000, 100)).toBe(false);
    expect(isSlow(30_000, 99)).toBe(false);
  });

  // Where no attempt fails, only `failed` has no data: see lib/webhooks/delivery/delivery-metrics.ts.
  test.each(MISSING_POINTS)(
    "DeliverySuccess fires if every attempt fails, and not if none does, if %s",
    (missingPoints) => {
      const success = alarm("DeliverySuccess");
      const attempts = Array<number>(success.periods).fill(100);
      expect(fires(success, { delivered: attempts.map(() => 0), failed: attempts }, missingPoints)).toBe(
        true,
      );
      expect(watched(success, { delivered: attempts }, missingPoints)).toEqual(attempts.map(() => 0));
    },
  );

  test.each([
    ["DeliverySuccess", 50, (failed: number) => ({ delivered: 0, failed })],
    ["RateLimited", 100, (refused: number) => ({ calls: refused, rateLimited: refused })],
  ] as const)(
    "%s needs %i attempts or calls to fire, so that a few failing ones notify nobody",
    (name, fewest, failing) => {
      const each = alarm(name);
      const firesAt = (count: number) => {
        const inAPeriod = Object.entries(failing(count));
        const points = inAPeriod.map(([id, value]) => [id, Array<number>(each.periods).fill(value)]);
        return fires(each, Object.fromEntries(points), "missing is zero");
      };
      expect(firesAt(fewest)).toBe(true);
      expect(firesAt(fewest - 1)).toBe(false);
    },
  );

  test("Throttles covers every function with reserved concurrency", () => {
    const reserved = Object.entries(template.findResources("AWS::Lambda::Function")).flatMap(
      ([id, { Properties }]) => (Properties["ReservedConcurrentExecutions"] === undefined ? [] : [id]),
    );
    for (const id of reserved) {
      expect(JSON.stringify(alarm("Throttles").queries), id).toContain(`{"Ref":"${id}"}`);
    }
  });

  test("definitions cover every DynamoDB operation that the service uses", () => {
    const sources = globSync("lib/**/*.ts").map((file) => readFileSync(file, "utf8"));
    const asked = sources.flatMap((source) =>
      [...source.matchAll(/new (Get|Put|Update|Delete|\w+Write)Command\(|paginate(Query)\(/g)].map(
        ([, command, query]) =>
          query ?? command?.replace(/^(?!Transact).*/, "$&Item").replace(/Write$/, "WriteItems"),
      ),
    );
    const operations = [...new Set(asked)];
    const watchedOperations = alarm("TableErrors").queries.flatMap(
      ({ MetricStat }) => MetricStat?.Metric.Dimensions.filter(({ Name }) => Name === "Operation") ?? [],
    );
    expect(watchedOperations.map(({ Value }) => Value).sort()).toEqual(operations.sort());
  });

  test("TableThrottles watches reads and writes of the table and of each index", () => {
    const indexes = Object.values(template.findResources("AWS::DynamoDB::Table"))
      .flatMap(({ Properties }) => Properties["GlobalSecondaryIndexes"] as { readonly IndexName: string }[])
      .map(({ IndexName }) => IndexName);
    const events = alarm("TableThrottles").queries.flatMap(({ MetricStat }) => {
      if (!MetricStat?.Metric.MetricName.endsWith("ThrottleEvents")) return [];
      const { MetricName, Dimensions } = MetricStat.Metric;
      const index = Dimensions.find(({ Name }) => Name === "GlobalSecondaryIndexName");
      return [`${MetricName} ${index?.Value ?? "table"}`];
    });
    expect(events.sort()).toEqual(
      ["table", ...indexes]
        .flatMap((name) => [`ReadThrottleEvents ${name}`, `WriteThrottleEvents ${name}`])
        .sort(),
    );
  });

  // PutMetricAlarm, TreatMissingData: an alarm on DynamoDB's metrics may keep its state without data.
  test.each(["TableThrottles", "TableErrors"])(
    "%s returns to OK once nothing is counted any more",
    (name) => {
      const each = alarm(name);
      const consumed = Array<number>(each.periods).fill(50);
      for (const missingPoints of MISSING_POINTS) {
        expect(watched(each, { consumed }, missingPoints)).toEqual(consumed.map(() => 0));
      }
    },
  );

  // DynamoDB reports no consumed capacity in a period in which no read succeeds.
  test.each([
    ["TableThrottles", "tableReads"],
    ["TableErrors", "getitem"],
  ])("%s fires while no read of the table succeeds", (name, id) => {
    const each = alarm(name);
    const failed = Array<number>(each.periods).fill(1);
    for (const missingPoints of MISSING_POINTS) {
      expect(fires(each, { [id]: failed }, missingPoints), missingPoints).toBe(true);
    }
  });

  // "Using math expressions with CloudWatch metrics": 500 metrics and expressions on a graph.
  test.each(widgetsOf(template))("dashboard can show $properties.title", ({ properties: { metrics } }) => {
    expect(metrics.length).toBeLessThanOrEqual(500);
    const options = metrics.flatMap((line) => line.filter((part) => typeof part !== "string"));
    const points = Object.fromEntries(
      options.flatMap(({ id, expression }) => (id && !expression ? [[id, [1]]] : [])),
    );
    const expressions = Object.fromEntries(
      options.flatMap(({ expression }, index) => (expression ? [[`e${index}`, expression]] : [])),
    );
    for (const id of Object.keys(expressions)) {
      for (const missingPoints of MISSING_POINTS) {
        expect(evaluate(id, { metrics: points, expressions }, missingPoints)).toEqual([expect.any(Number)]);
      }
    }
  });
});

describe.each([development, production])("of %s, every environment's alarms", (_name, template) => {
  const alarms = serviceAlarmsIn(template);

  test("fire by these rules", () => {
    const rules = Object.entries(alarms).map(([name, each]) => [name, firingRule(each)]);

    expect(Object.fromEntries(rules)).toEqual({
      ServerErrors: "Sum 5XXError, SampleCount Count > 1 in 2 of 3 × 300 s",
      Unauthorized: "Sum Unauthorized, SampleCount Count > 50 in 2 of 3 × 300 s",
      RateLimited: "Sum RateLimited, SampleCount Count > 1 in 2 of 3 × 300 s",
      BatchFaults: "Sum BatchFaults > 100 in 2 of 3 × 300 s",
      Latency: "SampleCount Count, p99 Latency > 2000 in 3 of 3 × 300 s",
      Throttles: "Sum Throttles > 0 in 2 of 3 × 300 s",
      StreamAge: "Maximum IteratorAge > 60000 in 2 of 3 × 300 s",
      StreamStopped: "SampleCount PolledEventCount < 1 in 3 of 3 × 300 s",
      LostBatches: "Sum DestinationDeliveryFailures > 0 in 1 of 3 × 300 s",
      QueueAge: "Maximum ApproximateAgeOfOldestMessage > 300 in 3 of 3 × 300 s",
      SideQueueAge: "Maximum ApproximateAgeOfOldestMessage > 300 in 3 of 3 × 300 s",
      RetryQueueAge: "Maximum ApproximateAgeOfOldestMessage > 1800 in 3 of 3 × 300 s",
      DeadLetters: "Maximum ApproximateNumberOfMessagesVisible > 0 in 1 of 1 × 60 s",
      UnreadableEvents: "Maximum ApproximateNumberOfMessagesVisible > 0 in 1 of 1 × 60 s",
      RecoveryQueueAge: "Maximum ApproximateAgeOfOldestMessage > 1800 in 3 of 3 × 300 s",
      RecoveryFaults: "Sum Errors, Sum Throttles > 0 in 2 of 3 × 300 s",
      ConsumerErrors: "Sum Errors > 0 in 2 of 4 × 300 s",
      DeliverySuccess: "Sum DeliveriesDelivered, Sum AttemptsFailed > 50 in 3 of 4 × 300 s",
      DeliveryFaults: "Sum DeliveryFaults > 10 in 3 of 6 × 300 s",
      ReleaseDelay: "Maximum ReleaseDelay > 300000 in 3 of 3 × 300 s",
      RecursionStopped: "Sum RecursiveInvocationsDropped > 0 in 1 of 5 × 60 s",
      TableThrottles:
        "Sum ReadThrottleEvents, Sum WriteThrottleEvents, Sum ConsumedReadCapacityUnits > 0 in 2 of 3 × 300 s",
      TableErrors: "Sum SystemErrors, Sum ConsumedReadCapacityUnits > 0 in 2 of 3 × 300 s",
      SweepStopped: "SampleCount PolledEventCount < 1 in 3 of 3 × 300 s",
      SweepAge: "Maximum IteratorAge > 3600000 in 1 of 1 × 300 s",
      UnsweptParts: "Maximum ApproximateNumberOfMessagesVisible > 0 in 1 of 1 × 60 s",
    });
  });

  test.each(Object.entries(alarms))(
    "%s notifies when it is over too, and warms up for an hour at most",
    (_alarm, each) => {
      expect(each.OKActions).toEqual(each.AlarmActions);
      expect([
        undefined,
        { WarmUpPeriodDurationInMinutes: 60, OnlyStartEvaluatingAfterWarmUpPeriodEnds: true },
      ]).toContainEqual(each.WarmUpConfiguration);
    },
  );

  test.each(Object.entries(alarms))("%s has its metrics on the dashboard", (_alarm, each) => {
    const shown = shownMetrics(template);
    const missing = metricsOf(each).filter(
      (metric) => !shown.some((other) => isDeepStrictEqual(other, metric)),
    );

    expect(missing, "a graph in infra/service-dashboard.ts").toEqual([]);
  });

  test.each(Object.entries(alarms))("%s names the section of the runbook about it", (alarm, each) => {
    const [, section = ""] = /docs\/operations\.md#(\w+)$/.exec(each.AlarmDescription) ?? [];
    const [, text = ""] = readFileSync("docs/operations.md", "utf8").split(`\n### ${section}\n`);
    const [about = ""] = text.split("\n### ");

    expect([section, ...(about.match(/\w+/g) ?? [])]).toContain(
      section === alarm.toLowerCase() ? section : alarm,
    );
  });
});

test("the cost of production's alarms counts each metric that they refer to", () => {
  const alarms = Object.values(production[1].findResources("AWS::CloudWatch::Alarm"));
  const metrics = alarms.flatMap(({ Properties }): { readonly MetricStat?: unknown }[] =>
    Properties.Metrics ? Properties.Metrics.filter(({ MetricStat = undefined }) => MetricStat) : [Properties],
  );
  const ofFeed = metrics.filter((metric) => /ListEvents|Recover/.test(JSON.stringify(metric)));
  const remedy = "Set it in tools/costs/units.ts, then npm run costs";
  expect(metrics.length, remedy).toBe(STANDING.alarmedMetrics);
  expect(ofFeed.length, remedy).toBe(STANDING.feedAlarmedMetrics);
  const own = shownMetrics(production[1]).flatMap(([namespace = "AWS/", name]) =>
    namespace.startsWith("AWS/") ? [] : [name],
  );
  const recorded = new Set([...Object.keys(DELIVERY_METRICS), ...own]);
  expect(recorded.size, remedy).toBe(STANDING.metrics);
});
