import type { Template } from "aws-cdk-lib/assertions";
import { evaluate, type MissingPoints, type Queries, type Series } from "./metric-math.ts";

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: Metric; readonly Period: number; readonly Stat: string };
  readonly ReturnData?: boolean;
}

/** An alarm on metric math. */
export interface MathAlarm {
  readonly id: string;
  readonly queries: readonly MetricQuery[];
  readonly threshold: number;
  readonly periods: number;
  readonly breaching: number;
}

export function mathAlarms(template: Template): MathAlarm[] {
  return Object.entries(template.findResources("AWS::CloudWatch::Alarm")).flatMap(([id, { Properties }]) => {
    if (!Properties["Metrics"]) return [];
    if (Properties["ComparisonOperator"] !== "GreaterThanThreshold")
      throw new Error(`${id} compares otherwise.`);
    const periods: number = Properties["EvaluationPeriods"];
    return {
      id,
      queries: Properties["Metrics"],
      threshold: Properties["Threshold"],
      periods,
      breaching: Properties["DatapointsToAlarm"] ?? periods,
    };
  });
}

export function metricIds({ queries }: Pick<MathAlarm, "queries">): string[] {
  return queries.flatMap(({ Id, MetricStat }) => (MetricStat ? [Id] : []));
}

/** The points that an alarm looks at; metrics that are not given have no data. */
export function watched(
  alarm: MathAlarm,
  given: Readonly<Record<string, Series>>,
  missingPoints: MissingPoints,
): Series {
  const metrics = Object.fromEntries(
    metricIds(alarm).map((id) => [id, given[id] ?? Array<undefined>(alarm.periods).fill(undefined)]),
  );
  const unknown = Object.keys(given).filter((id) => !(id in metrics));
  if (unknown.length > 0) throw new Error(`${alarm.id} does not watch ${unknown}.`);
  const [result] = alarm.queries.filter(({ ReturnData }) => ReturnData !== false);
  return evaluate(result?.Id ?? "", { metrics, expressions: expressionsOf(alarm.queries) }, missingPoints);
}

/** Whether an alarm fires: missing data is not breaching (a template test holds them to it). */
export function fires(
  alarm: MathAlarm,
  given: Readonly<Record<string, Series>>,
  missingPoints: MissingPoints,
): boolean {
  const points = watched(alarm, given, missingPoints).slice(-alarm.periods);
  return points.filter((point) => (point ?? 0) > alarm.threshold).length >= alarm.breaching;
}

function expressionsOf(queries: readonly MetricQuery[]): Queries["expressions"] {
  return Object.fromEntries(
    queries.flatMap(({ Id, Expression }) => (Expression === undefined ? [] : [[Id, Expression]])),
  );
}

export interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly AlarmActions: readonly unknown[];
  readonly OKActions?: readonly unknown[];
  readonly WarmUpConfiguration?: object;
  readonly MetricName?: string;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly Period?: number;
  readonly Metrics?: readonly MetricQuery[];
}

/** The alarms that every environment has, by name. */
export function serviceAlarmsIn(template: Template): Record<string, AlarmProperties> {
  return Object.fromEntries(
    Object.entries(template.findResources("AWS::CloudWatch::Alarm")).flatMap(([id, { Properties }]) => {
      const [, name] = /^Observability(\w+)[0-9A-F]{8}$/.exec(id) ?? [];
      return name && !/Failing$|^(?:BackupFailed|ClaimedConcurrency|RequestsBlocked)$/.test(name)
        ? [[name, Properties as AlarmProperties]]
        : [];
    }),
  );
}

/** When an alarm fires, as `statistics and metrics > threshold in breaching of periods × seconds`. */
export function firingRule(alarm: AlarmProperties): string {
  const { MetricName, Statistic, ExtendedStatistic } = alarm;
  const measured = alarm.Metrics?.flatMap(({ MetricStat }) =>
    MetricStat ? [`${MetricStat.Stat} ${MetricStat.Metric.MetricName}`] : [],
  ) ?? [`${Statistic ?? ExtendedStatistic} ${MetricName}`];
  const { ComparisonOperator, Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm;
  const seconds = alarm.Period ?? alarm.Metrics?.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period;
  const sign =
    { GreaterThanThreshold: ">", LessThanThreshold: "<" }[ComparisonOperator] ?? ComparisonOperator;
  return `${[...new Set(measured)].join(", ")} ${sign} ${Threshold} in ${DatapointsToAlarm} of ${EvaluationPeriods} × ${seconds} s`;
}

/** The metrics of an alarm, each as its namespace, name and dimensions. */
export function metricsOf(alarm: AlarmProperties): string[][] {
  const metrics = alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? [
    alarm as unknown as Metric,
  ];
  return metrics.map(({ Namespace, MetricName, Dimensions = [] }) => [
    Namespace,
    MetricName,
    ...Dimensions.flatMap(({ Name, Value }) => [Name, flat(Value)]),
  ]);
}

/** The metrics of the dashboard, in the same form. */
export function shownMetrics(template: Template): string[][] {
  return widgetsOf(template).flatMap(({ properties: { metrics } }) =>
    metrics.map((line) => line.filter((part) => typeof part === "string")),
  );
}

/** A value of a template as one text: what it joins, and each reference as JSON without quotation marks. */
function flat(value: unknown): string {
  if (typeof value === "string") return value;
  const { "Fn::Join": joined } = value as { "Fn::Join"?: [string, unknown[]] };
  if (joined) return joined[1].map(flat).join(joined[0]);
  return JSON.stringify(value).replaceAll('"', "");
}

/** A line of a widget's `metrics`: dimensions and options, or options with an expression. */
type Line = readonly (string | { readonly id?: string; readonly expression?: string })[];

interface Widget {
  readonly properties: { readonly title: string; readonly metrics: readonly Line[] };
}

/** The dashboard's widgets, with a text in the place of every reference. */
export function widgetsOf(template: Template): Widget[] {
  const [dashboard] = Object.values(template.findResources("AWS::CloudWatch::Dashboard"));
  const parts: unknown[] = dashboard?.["Properties"].DashboardBody["Fn::Join"][1];
  return JSON.parse(parts.map(flat).join("")).widgets;
}
