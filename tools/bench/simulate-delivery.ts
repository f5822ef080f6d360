/**
 * `npm run simulate`: a day of ten million deliveries on a controlled clock, with the retry queue and
 * without, as docs/delivery-simulation.md shows it. Takes some five minutes.
 */
import { writeFileSync } from "node:fs";
import { environments } from "../../infra/environments.ts";
import { deliveryCost } from "../costs/monthly-cost.ts";

process.env["POWERTOOLS_LOG_LEVEL"] = "SILENT";
const { simulateDelivery } = await import("./delivery-simulation.ts");

const production = environments.find(({ name }) => name === "production");
if (!production) throw new Error("The app has no production environment.");
const { deliveryConcurrency, retryConcurrency } = production.webhooks;

const day = {
  events: 10_000_000,
  endpoints: 1_000,
  down: 0.05,
  burst: 10_000,
  concurrency: { delivery: deliveryConcurrency, retry: retryConcurrency },
};
const [asBuilt, oneQueue] = [
  await simulateDelivery({ ...day, retryQueue: true }),
  await simulateDelivery({ ...day, retryQueue: false }),
];

const count = (value: number) => value.toLocaleString("en");
const time = (ms: number) =>
  ms < 10_000
    ? `${(ms / 1_000).toFixed(2)} s`
    : ms < 600_000
      ? `${Math.round(ms / 1_000)} s`
      : `${(ms / 3_600_000).toFixed(1)} h`;

const rows: readonly (readonly [string, (result: typeof asBuilt) => string])[] = [
  ["events delivered", ({ delivered }) => count(delivered)],
  ["events dead-lettered", ({ deadLettered }) => count(deadLettered)],
  ["healthy endpoints: delay, median", ({ healthyDelay }) => time(healthyDelay.p50)],
  ["healthy endpoints: delay, 99th percentile", ({ healthyDelay }) => time(healthyDelay.p99)],
  ["healthy endpoints: delay, longest", ({ healthyDelay }) => time(healthyDelay.max)],
  ["endpoints that were down: delay, 99th percentile", ({ failingDelay }) => time(failingDelay.p99)],
  ["endpoints that were down: delay, longest", ({ failingDelay }) => time(failingDelay.max)],
  ["most messages waiting in the delivery queue", ({ deepest }) => count(deepest.delivery)],
  ["most messages waiting in the retry queue", ({ deepest }) => count(deepest.retry)],
  ["most messages delayed", ({ deepest }) => count(deepest.delayed)],
  ["attempts", ({ attempts }) => count(attempts)],
  ["messages sent", ({ messagesSent }) => count(messagesSent)],
  ["batches", ({ batches }) => count(batches)],
  ["duration of all batches, hours", ({ batchSeconds }) => count(Math.round(batchSeconds / 3_600))],
  ["cost of the day, US dollars", (result) => count(Math.round(deliveryCost(result)))],
  ["last event done after, hours", ({ hoursToTheLast }) => hoursToTheLast.toFixed(1)],
];

writeFileSync(
  new URL("../../docs/delivery-simulation.md", import.meta.url),
  `# A day of ten million deliveries, simulated

\`npm run simulate\` writes this page. It runs the service's own \`deliver\`, with its retry schedule, two queues and signatures, on a controlled clock. Queues, consumers and receivers are modelled by their durations alone.

- ${count(day.events)} events over 24 hours to ${count(day.endpoints)} endpoints: ${count(day.burst)} a second for the first ten seconds of each hour, the others evenly spread.
- ${100 * day.down} % of the endpoints go down, for two to eight hours, one in ten of them permanently: half hang until the timeout of 10 s, half respond 500.
- Receivers respond within 80 ms in the median and 600 ms at the 99th percentile; the service itself adds 15 ms to a delivery.
- Up to ${deliveryConcurrency} batches of the delivery queue and ${retryConcurrency} of the retry queue run at once, as in production. The retry queue is first in, first out here; SQS shares it more fairly.
- Costs use the prices and units of [tools/costs/monthly-cost.ts](../tools/costs/monthly-cost.ts): Lambda, SQS, DynamoDB, logs and data out.

| | as built | without a retry queue |
|---|---|---|
${rows.map(([name, cell]) => `| ${name} | ${cell(asBuilt)} | ${cell(oneQueue)} |`).join("\n")}

Every event was delivered or dead-lettered: ${count(asBuilt.delivered)} + ${count(asBuilt.deadLettered)} = ${count(day.events)}.
`,
);
