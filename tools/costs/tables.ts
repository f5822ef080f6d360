import { leastPollers } from "../../infra/delivery-limits.ts";
import { environments } from "../../infra/environments.ts";
import { type Kept, monthlyCost, type Service, totalOf } from "./monthly-cost.ts";

/** Days in a month, where backups are counted in days. */
const DAYS = 30;

/** The documents that contain a table of costs, and the numbers of candidates a year that it covers. */
export const SIZES = {
  "docs/operations.md": [1e6, 1e7, 1e8],
  "docs/scale.md": [1e5, 1e7, 1e9],
} as const satisfies Record<string, readonly number[]>;

/** The document with a current table of costs between the two comments. */
export function withCosts(document: string, sizes: readonly number[]): string {
  return document.replace(
    /(<!-- npm run costs -->\n).*?(<!-- -->)/s,
    (_, before: string, after: string) => `${before}${table(sizes)}\n${after}`,
  );
}

/** What production costs a month with these numbers of candidates a year, a line each. */
export function totals(sizes: readonly number[]): string[] {
  return sizes.map((size) => {
    const total = totalOf(monthlyCost(size, keptInProduction()));
    return `production, ${wholeNumber(size)} candidates a year: ${wholeNumber(total)} US dollars a month`;
  });
}

function table(sizes: readonly number[]): string {
  const costs = sizes.map((size) => monthlyCost(size, keptInProduction()));
  const services = Object.keys(costs[0] ?? {}) as Service[];
  return [
    row("US dollars a month", ...sizes.map((size) => `${wholeNumber(size)} candidates a year`)),
    row("---", ...sizes.map(() => "---:")),
    ...services.map((service) => row(service, ...costs.map((cost) => wholeNumber(cost[service])))),
    row("**total**", ...costs.map((cost) => `**${wholeNumber(totalOf(cost))}**`)),
    row(
      "per 1,000 new candidates",
      ...costs.map((cost, index) => ((totalOf(cost) * 12 * 1_000) / (sizes[index] ?? 1)).toFixed(2)),
    ),
  ].join("\n");
}

function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function keptInProduction(): Kept {
  const production = environments.find(({ name }) => name === "production");
  if (!production) throw new Error("The app has no production environment.");
  const { backups, logRetention, webhooks } = production;
  return {
    dailyBackups: backups?.dailyDays ?? 0,
    monthlyBackups: (backups?.monthlyDays ?? 0) / DAYS,
    logMonths: logRetention / DAYS,
    // The side queue and the recovery queue never have provisioned pollers.
    pollers: [...[webhooks.deliveryConcurrency, webhooks.retryConcurrency].map(leastPollers), 0, 0],
  };
}
