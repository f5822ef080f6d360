/** The command behind `npm run simulate`: deliveries in production on a controlled clock. */
import { readFileSync, writeFileSync } from "node:fs";
import { Argument, program } from "commander";
import { BATCH_SIZE, DELIVERY_LIMITS, MEMORY } from "../../infra/delivery-limits.ts";
import { deliveryCost } from "../costs/delivery-cost.ts";
import type { SimulationResult } from "./delivery-measurements.ts";
import { failingReceivers, hangingReceivers } from "./simulated-receivers.ts";

process.env["POWERTOOLS_LOG_LEVEL"] = "SILENT";
const { simulateDelivery } = await import("./delivery-simulation.ts");

const PAGE = new URL("../../docs/delivery-simulation.md", import.meta.url);
const SECONDS_AN_HOUR = 3_600;
const BURST = { seconds: 10, perSecond: 10_000 } as const;
const EVENTS = 10_000_000;

type Limits = (typeof DELIVERY_LIMITS)[keyof typeof DELIVERY_LIMITS];

const withLimits = ({ deliveryConcurrency, sideConcurrency, retryConcurrency }: Limits) => ({
  eventSources: {
    delivery: { batchSize: BATCH_SIZE, concurrency: deliveryConcurrency },
    side: { batchSize: BATCH_SIZE, concurrency: sideConcurrency },
    retry: { batchSize: BATCH_SIZE, concurrency: retryConcurrency },
  },
  retryQueue: true,
  memory: MEMORY,
});
const { forBursts, withoutFixedPrice } = DELIVERY_LIMITS;

const onset = {
  seconds: 180,
  arrivingIn: () => 1_000,
  receivers: () => hangingReceivers({ endpoints: 1_000, down: 0.1, from: 90_000 }),
  withRetries: false,
};

const day = {
  seconds: 24 * SECONDS_AN_HOUR,
  arrivingIn: (second: number) =>
    second % SECONDS_AN_HOUR < BURST.seconds ? BURST.perSecond : evenly(second),
  receivers: (random: () => number) => failingReceivers({ endpoints: 1_000, down: 0.05 }, random),
  withRetries: true,
};

/** What the bursts leave of the day's events. */
function evenly(second: number): number {
  const rest = EVENTS - 24 * BURST.seconds * BURST.perSecond;
  const seconds = 24 * (SECONDS_AN_HOUR - BURST.seconds);
  const quiet = second - BURST.seconds * (Math.floor(second / SECONDS_AN_HOUR) + 1);
  return Math.round((rest * (quiet + 1)) / seconds) - Math.round((rest * quiet) / seconds);
}

const count = (value: number) => Math.round(value).toLocaleString("en");
const time = (ms: number) =>
  ms < 10_000
    ? `${(ms / 1_000).toFixed(2)} s`
    : ms < 600_000
      ? `${Math.round(ms / 1_000)} s`
      : `${(ms / 3_600_000).toFixed(1)} h`;

const SECTIONS = {
  onset: async () => {
    const results = [
      await simulateDelivery({ ...onset, ...withLimits(forBursts) }),
      await simulateDelivery({ ...onset, ...withLimits(withoutFixedPrice) }),
    ];
    const row = (name: string, cell: (result: SimulationResult) => string) =>
      `| ${name} | ${results.map(cell).join(" | ")} |`;
    return [
      "| | for bursts | without fixed price | goal |",
      "|---|---|---|---|",
      `${row("healthy endpoints: 99th percentile of the worst ten seconds", ({ worstHealthyP99 }) => time(worstHealthyP99))} 0.8 s |`,
      `${row("healthy endpoints: 99th percentile of all", ({ healthyDelay }) => time(healthyDelay.p99))} |`,
      `${row("healthy endpoints: longest delay", ({ healthyDelay }) => time(healthyDelay.max))} |`,
    ].join("\n");
  },
  day: async () => {
    const result = await simulateDelivery({ ...day, ...withLimits(forBursts) });
    const { healthyDelay, failingDelay, deepest, secondsOf } = result;
    return [
      "| | for bursts | goal |",
      "|---|---|---|",
      `| healthy endpoints: delay, 99th percentile | ${time(healthyDelay.p99)} | 2 s |`,
      `| cost of the day, US dollars | ${count(deliveryCost(result))} | 65 |`,
      `| of that, provisioned pollers | ${count(deliveryCost(result) - deliveryCost({ ...result, pollerHours: 0, emptyReceives: 0 }))} | |`,
      `| healthy endpoints: delay, median | ${time(healthyDelay.p50)} | |`,
      `| healthy endpoints: delay, longest | ${time(healthyDelay.max)} | |`,
      `| endpoints that were down: delay, 99th percentile | ${time(failingDelay.p99)} | |`,
      `| endpoints that were down: delay, longest | ${time(failingDelay.max)} | |`,
      `| most messages waiting in the delivery queue, the side queue, the retry queue | ${count(deepest.delivery)}, ${count(deepest.side)}, ${count(deepest.retry)} | |`,
      `| most retries delayed | ${count(deepest.delayed)} | |`,
      `| attempts, and how many were cut | ${count(result.attempts)}, ${count(result.attemptsCut)} | |`,
      `| batches | ${count(result.batches)} | |`,
      `| duration of all batches of the delivery queue, the side queue, the retry queue, hours | ${count(secondsOf.delivery / SECONDS_AN_HOUR)}, ${count(secondsOf.side / SECONDS_AN_HOUR)}, ${count(secondsOf.retry / SECONDS_AN_HOUR)} | |`,
      `| waits in the table | ${count(result.waits)} | |`,
      `| last event done after, hours | ${result.hoursToTheLast.toFixed(1)} | |`,
      "",
      `Every event was delivered or dead-lettered: ${count(result.delivered)} + ${count(result.deadLettered)} = ${count(EVENTS)}.`,
    ].join("\n");
  },
};

type Section = keyof typeof SECTIONS;

program
  .name("npm run simulate --")
  .description(
    "Simulates deliveries, and writes docs/delivery-simulation.md. The day takes some six minutes.",
  )
  .addArgument(new Argument("[section]", "both if none is named").choices(Object.keys(SECTIONS) as Section[]))
  .action(async (section?: Section) => {
    for (const each of section ? [section] : (Object.keys(SECTIONS) as Section[])) await write(each);
  });
await program.parseAsync();

/** Simulates a section of the page, and rewrites it. */
async function write(section: Section): Promise<void> {
  const text = await SECTIONS[section]();
  process.stdout.write(`${section}\n${text}\n`);
  const page = readFileSync(PAGE, "utf8");
  const comments = new RegExp(`(<!-- npm run simulate -- ${section} -->\n).*?(\n<!-- -->)`, "s");
  writeFileSync(
    PAGE,
    page.replace(comments, (_, before: string, after: string) => `${before}${text}${after}`),
  );
}
