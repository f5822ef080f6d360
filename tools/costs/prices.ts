/** A price by the unit that falls with the quantity: each step holds for so many units. */
type Steps = readonly { readonly units: number; readonly usDollars: number }[];

/**
 * List prices in US dollars of us-east-1 without free tiers, taxes or discounts, as quoted in June 2026 by
 * guides to AWS's price pages. Check them before you rely on them: https://aws.amazon.com/pricing/
 */
export const PRICES = {
  apiGatewayMillionRequests: [
    { units: 333, usDollars: 3.5 },
    { units: 667, usDollars: 2.8 },
    { units: 19_000, usDollars: 2.38 },
    { units: Number.POSITIVE_INFINITY, usDollars: 1.51 },
  ],
  lambdaMillionRequests: 0.2,
  /** On arm64. */
  lambdaMillionGigabyteSeconds: [
    { units: 7_500, usDollars: 13.3334 },
    { units: 11_250, usDollars: 12.0001 },
    { units: Number.POSITIVE_INFINITY, usDollars: 10.6667 },
  ],
  dynamoDbMillionWriteUnits: 0.625,
  dynamoDbMillionReadUnits: 0.125,
  dynamoDbGigabyte: 0.25,
  pointInTimeRecoveryGigabyte: 0.2,
  backupGigabyte: 0.1,
  /** With the surcharge for fair queues. */
  sqsMillionRequests: 0.5,
  /** Of a provisioned poller of a queue: "Event Poller Unit", in the example for SQS of AWS Lambda's price page. */
  pollerHour: 0.00925,
  wafMillionRequests: 0.6,
  logGigabyteTaken: 0.5,
  logGigabyteKept: 0.03,
  xRayMillionTraces: 5,
  metric: 0.3,
  alarmedMetric: 0.1,
  dashboard: 3,
  webAcl: 5,
  webAclRule: 1,
  kmsKey: 1,
  secret: 0.4,
  gigabyteOut: 0.09,
} as const;

/** The cost of a quantity in US dollars. */
export function stepped(quantity: number, steps: Steps): number {
  let left = quantity;
  let cost = 0;
  for (const { units, usDollars } of steps) {
    const taken = Math.min(left, units);
    cost += taken * usDollars;
    left -= taken;
  }
  return cost;
}
