import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { LocalFunction } from "./lambda/local-function.ts";
import { ACCOUNT, functionNameIn, REGION, type Template } from "./template.ts";

/** A function that EventBridge invokes at regular intervals. */
export interface ScheduleDefinition {
  readonly id: string;
  readonly functionName: string;
  readonly intervalMs: number;
}

/** Node takes a longer time of a timer for 1 ms. A stack on this machine hardly runs for these 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const UNITS = { minute: 60_000, hour: 60 * 60_000, day: 24 * 60 * 60_000 } as const;

/** `rate(5 minutes)`, in ms (Amazon EventBridge user guide, "Rate expressions"): of 1 the unit is singular. */
const Rate = z
  .string()
  .regex(/^rate\(/, "The local stack supports rate expressions only.")
  .regex(
    /^rate\((?:1 (?:minute|hour|day)|(?:[2-9]|[1-9]\d+) (?:minute|hour|day)s)\)$/,
    "EventBridge accepts rate(1 minute), rate(5 minutes) and the same with hours and days.",
  )
  .transform((expression) => {
    const [, number, unit] = /(\d+) (minute|hour|day)/.exec(expression) ?? [];
    return Number(number) * UNITS[unit as keyof typeof UNITS];
  });

const Rule = z.object({
  ScheduleExpression: Rate,
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  Targets: z.array(z.object({ Arn: z.string() })).default([]),
});

export function readSchedules(template: Template): ScheduleDefinition[] {
  return template
    .resourcesOf("AWS::Events::Rule", Rule)
    .filter(({ properties }) => properties.State === "ENABLED")
    .flatMap(({ logicalId, properties }) =>
      properties.Targets.map(({ Arn }) => ({
        id: logicalId,
        functionName: functionNameIn(Arn),
        intervalMs: properties.ScheduleExpression,
      })),
    );
}

/**
 * Invokes a function at regular intervals, the first time after one interval. An error of the function is in its log.
 *
 * @param onFault called with faults of the local stack itself
 * @returns a function that stops it
 */
export function startSchedule(
  { id, intervalMs }: ScheduleDefinition,
  target: Pick<LocalFunction, "invoke">,
  onFault: (error: unknown) => void,
): () => void {
  const invoke = () => target.invoke(JSON.stringify(scheduledEvent(id))).catch(onFault);
  const timer = setInterval(invoke, Math.min(intervalMs, LONGEST_TIMER_MS));
  return () => clearInterval(timer);
}

/** The event of a rule with a schedule (Amazon EventBridge user guide, "Structure of Amazon EventBridge events"). */
function scheduledEvent(rule: string) {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: ACCOUNT,
    time: new Date().toISOString(),
    region: REGION,
    resources: [`arn:aws:events:${REGION}:${ACCOUNT}:rule/${rule}`],
    detail: {},
  };
}
