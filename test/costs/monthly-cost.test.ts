import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nextAttemptIn } from "#webhooks/delivery/retry-schedule";
import { TIMEOUTS_MS } from "#webhooks/endpoints/lane";
import { BATCH_SIZE, DELIVERY_LIMITS, mostBatches } from "../../infra/delivery-limits.ts";
import {
  feedCost,
  HABITS,
  monthlyCost,
  monthlyLoad,
  pollingCost,
  totalOf,
  writeUnitsOf,
} from "../../tools/costs/monthly-cost.ts";
import { PRICES } from "../../tools/costs/prices.ts";
import { SIZES, totals, withCosts } from "../../tools/costs/tables.ts";
import { UNITS } from "../../tools/costs/units.ts";

const KEPT = { dailyBackups: 3, monthlyBackups: 3, logMonths: 12, pollers: [0, 0] };

describe.each(Object.entries(SIZES))("%s", (file, sizes) => {
  test("contains what npm run costs computes", () => {
    const document = readFileSync(file, "utf8");
    expect(document).toContain("<!-- npm run costs -->");
    expect(withCosts(document, sizes)).toBe(document);
  });

  test("has the totals that npm run costs prints", () => {
    const [, row = ""] = /^\| \*\*total\*\* \|(.*)$/m.exec(readFileSync(file, "utf8")) ?? [];
    const printed = totals(sizes).map((line) => /: ([\d,]+) US dollars a month$/.exec(line)?.[1]);
    expect(printed).toEqual([...row.matchAll(/[\d,]+/g)].map(([total]) => total));
  });
});

describe("the write units of the cost, those of the event feed included,", () => {
  test("are those of the runbook's formula", () => {
    const load = monthlyLoad(1e7, HABITS);
    expect(writeUnitsOf(load)).toBeCloseTo(20 * load.creates + load.events + load.attempts);
    expect(readFileSync("docs/operations.md", "utf8")).toContain("write units (20 C + E + A)");
  });

  test("are those that scale.md has for a second at ten times the average", () => {
    const [, row = ""] =
      /^\| write units a second, at ten times the average \|(.*)$/m.exec(
        readFileSync("docs/scale.md", "utf8"),
      ) ?? [];
    const shown = [...row.matchAll(/[\d.,]+/g)].map(([cell]) => Number(cell.replaceAll(",", "")));
    const seconds = (365 * 24 * 60 * 60) / 12;
    const computed = SIZES["docs/scale.md"].map(
      (size) => (10 * writeUnitsOf(monthlyLoad(size, HABITS))) / seconds,
    );

    expect(shown).toHaveLength(computed.length);
    for (const [index, units] of computed.entries()) expect(shown[index]).toBe(rounded(units));
  });

  /** To two digits, and below 1 to one. */
  function rounded(units: number): number {
    return Number(units.toPrecision(units < 1 ? 1 : 2));
  }
});

test("scale.md states which share of the endpoints may hang before retries are late", () => {
  let attempts = 1;
  while (nextAttemptIn("standard", attempts, undefined, 0.5) !== undefined) attempts += 1;
  const batches = mostBatches(DELIVERY_LIMITS.withoutFixedPrice.retryConcurrency);
  const most = (batches * BATCH_SIZE) / (TIMEOUTS_MS.retry / 1_000);
  const ifAllHang = (size: number) =>
    (monthlyLoad(size, HABITS).deliveries * attempts) / ((365 * 24 * 60 * 60) / 12);
  const document = readFileSync("docs/scale.md", "utf8");

  expect(document).toContain(`every endpoint could hang (${Math.round(ifAllHang(1e7))} attempts a second)`);
  const oneIn = Math.round(ifAllHang(1e9) / most);
  expect(document).toContain(`only one endpoint in ${oneIn} could`);
  expect(document).toContain(`| retries, when one endpoint in ${oneIn} hangs |`);
});

test("a service without load has only fixed costs", () => {
  const cost = monthlyCost(0, KEPT);
  expect(cost).toMatchObject({ "API Gateway": 0, Lambda: 0, "DynamoDB storage": 0, "Data out": 0 });
  expect(totalOf(cost)).toBeCloseTo(
    cost.WAF + cost.SQS + cost["Metrics and alarms"] + cost["Keys and secrets"],
  );
});

test("requests in each pricing tier cost that tier's price", () => {
  // 9 requests for each candidate: 1,000 million a month are the first two steps, filled.
  const candidates = (1_000e6 * 12) / (1 + HABITS.readsPerCandidate + HABITS.amendsPerCandidate);
  expect(monthlyCost(candidates, KEPT)["API Gateway"]).toBeCloseTo(333 * 3.5 + 667 * 2.8);
  const twice = monthlyCost(2 * candidates, KEPT)["API Gateway"];
  expect(twice).toBeCloseTo(333 * 3.5 + 667 * 2.8 + 1_000 * 2.38);
});

test("candidates in batches of a hundred cost API Gateway one request a batch, and the table the same", () => {
  const singly = monthlyCost(12e6, KEPT);
  const inBatches = monthlyCost(12e6, KEPT, { ...HABITS, candidatesPerCreate: 100 });
  expect(singly["API Gateway"] - inBatches["API Gateway"]).toBeCloseTo(0.99 * 3.5);
  // Fewer keys are looked up.
  expect(inBatches["DynamoDB requests"]).toBeCloseTo(singly["DynamoDB requests"], 1);
  expect(inBatches.Lambda).toBeLessThan(singly.Lambda);
});

test("each backup costs a copy of the whole table", () => {
  const none = monthlyCost(1e6, { ...KEPT, dailyBackups: 0, monthlyBackups: 0 });
  const ten = monthlyCost(1e6, { ...KEPT, dailyBackups: 7, monthlyBackups: 3 });
  const gigabytes = none["DynamoDB storage"] / 0.25;
  expect(ten["Recovery and backups"] - none["Recovery and backups"]).toBeCloseTo(gigabytes * 10 * 0.1);
});

test("three million events a month cost at most $3 more than without a feed, its shorter log included", () => {
  /** What publish-events and Lambda wrote of an event until then. */
  const logKilobytes = 1.29;
  const { standing, ...ofEvents } = feedCost(3e6, KEPT);
  const saved = (3e6 * (logKilobytes - UNITS.publishLogKilobytes) * PRICES.logGigabyteTaken) / 1e6;

  const more = standing + Object.values(ofEvents).reduce((sum, usDollars) => sum + usDollars, 0) - saved;

  expect(more).toBeLessThanOrEqual(3);
  expect(standing).toBeLessThan(1);
});

test("the documents state what a reader adds that polls the event feed once a second", () => {
  const cost = Math.round(pollingCost(KEPT));

  expect(readFileSync("docs/operations.md", "utf8")).toContain(`once a second adds $${cost} `);
  expect(readFileSync("docs/decisions/0045-event-feed.md", "utf8")).toContain(
    `once a second costs $${cost} a month`,
  );
});

test("provisioned pollers cost their hours and their receives, whatever the load", () => {
  for (const candidates of [0, 1e9]) {
    const none = monthlyCost(candidates, KEPT);
    const ninety = monthlyCost(candidates, { ...KEPT, pollers: [80, 10] });
    expect(ninety["Provisioned pollers"] - none["Provisioned pollers"]).toBeCloseTo(90 * 720 * 0.00925);
    // 900 receives under way instead of ten, three a minute each.
    expect(ninety.SQS - none.SQS).toBeCloseTo((890 * 3 * 60 * 720 * 0.5) / 1e6);
  }
});
