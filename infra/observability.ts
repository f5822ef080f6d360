import { Stack } from "aws-cdk-lib";
import { Alarm, type CfnAlarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { AlarmTopic } from "./alarm-topic.ts";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { type AlarmDefinition, serviceAlarms } from "./service-alarms.ts";
import { ServiceDashboard } from "./service-dashboard.ts";
import { type Measured, serviceMetrics } from "./service-metrics.ts";

interface ObservabilityProps extends Measured {
  readonly settings: EnvironmentSettings;
}

/** The alarms of an environment, the topic that they notify, and a dashboard of the same metrics. */
export class Observability extends Construct {
  readonly #topic: AlarmTopic;
  /** Fires if the API fails. */
  readonly serverErrors: Alarm;

  constructor(scope: Construct, id: string, { settings, ...measured }: ObservabilityProps) {
    super(scope, id);
    this.#topic = new AlarmTopic(this, "Alarms", { settings });
    const metrics = serviceMetrics(measured);
    const { ServerErrors, ...others } = serviceAlarms(metrics);
    this.serverErrors = this.alarm("ServerErrors", ServerErrors);
    for (const [name, definition] of Object.entries(others)) this.alarm(name, definition);
    new ServiceDashboard(this, "Dashboard", {
      dashboardName: Stack.of(this).stackName,
      metrics,
    });
  }

  /** Creates an alarm that notifies the topic when it fires and when it returns to OK. */
  alarm(id: string, definition: AlarmDefinition): Alarm {
    const { metric, periods, breaching, needsData, warmUp, calendarDays, description, section } = definition;
    const [threshold, comparisonOperator] =
      "above" in definition
        ? [definition.above, ComparisonOperator.GREATER_THAN_THRESHOLD]
        : [definition.below, ComparisonOperator.LESS_THAN_THRESHOLD];
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      evaluationPeriods: periods,
      ...(breaching && { datapointsToAlarm: breaching }),
      comparisonOperator,
      treatMissingData: needsData ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: `${description} Runbook: docs/operations.md#${section ?? id.toLowerCase()}`,
    });
    // The Alarm construct has no properties for these.
    const resource = alarm.node.defaultChild as CfnAlarm;
    if (warmUp) {
      resource.warmUpConfiguration = {
        warmUpPeriodDurationInMinutes: warmUp.toMinutes(),
        onlyStartEvaluatingAfterWarmUpPeriodEnds: true,
      };
    }
    if (calendarDays) resource.evaluationWindow = { wallClockWindow: { timezone: "UTC" } };
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    return alarm;
  }
}
