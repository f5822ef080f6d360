/** The monthly cost of the service in production, from its load and AWS's list prices. */

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

/** What one request, event, attempt or candidate takes. */
export const UNITS = {
  // Measured: ConsumedCapacity of DynamoDB Local for a submission of 9.2 KB, and with three endpoints.
  createWriteUnits: 4,
  amendWriteUnits: 4,
  transitionWriteUnits: 4,
  transitionReadUnits: 1,
  readReadUnits: 1,
  publishReadUnits: 1,
  attemptReadUnits: 1,
  /** Beside that: the delivery's record, and the candidate. */
  retryReadUnits: 2,
  attemptWriteUnits: 1,
  /** An event that is published alone; in a burst a tenth of it. */
  feedWriteUnits: 1,
  /** 293 bytes (measured), 100 of them DynamoDB's own for each item, and a tenth for the days until it is removed. */
  feedKilobytes: 0.32,
  /** A wait in the table: written, read with others, deleted, and sent with others (docs/decisions/0041). */
  waitWriteUnits: 2,
  waitReadUnits: 1 / 6,
  waitSends: 1 / 10,
  candidateKilobytes: 4,
  deliveryRecordKilobytes: 0.8,
  // Assumed: not measured on AWS. Gigabytes are the functions' memory, seconds what they are billed.
  requestGigabyteSeconds: 1 * 0.03,
  /** Of each further row of a batch: its function computes for 1.4 ms (measured), and waits for the table meanwhile. */
  batchRowGigabyteSeconds: 1.73 * 0.002,
  authorizationsPerRequest: 0.2,
  authorizationGigabyteSeconds: 0.5 * 0.015,
  transitionGigabyteSeconds: 0.5 * 0.03,
  // An event and an attempt are often alone in their batch; under load batches fill and these shrink.
  publishGigabyteSeconds: 0.5 * 0.05,
  /** Of that, the put into the event feed. */
  feedGigabyteSeconds: 0.5 * 0.01,
  attemptGigabyteSeconds: 0.5 * 0.16,
  // Log lines of ours and of Lambda, and the access log's.
  requestLogKilobytes: 1.92,
  /** Of a create or an amend: most bodies are over the 8 KB that a rule of the web ACL counts from. */
  webAclLogKilobytes: 2,
  // The functions that run for each event have only lines of ours (infra/service-function.ts).
  publishLogKilobytes: 0.49,
  attemptLogKilobytes: 1.17,
  keptLogShare: 0.2,
  responseKilobytes: 9,
  deliveryOutKilobytes: 1.5,
  /** Of what comes after the first in each second (AWS X-Ray's default rule). */
  tracedShare: 0.05,
} as const;

/** What costs the same under any load. */
export const STANDING = {
  /** Those of deliveries, that of batches and that of refused keys: as if each had a value in every hour. */
  metrics: 14,
  /** An alarm is billed by the metrics that it refers to. */
  alarmedMetrics: 121,
  /** Those of them that are there for the event feed and recoveries. */
  feedAlarmedMetrics: 6,
  webAclRules: 5,
  /** The batches that wait for messages of an idle queue: five, or ten for each provisioned poller. */
  waitingBatches: 5,
  waitingBatchesOfPoller: 10,
  /** Each receives for 20 s at a time: assumed for pollers, which may receive ten times a second (AWS Lambda guide). */
  millionReceives: (3 * 60 * 24 * 30) / 1e6,
} as const;

/** Months in a year, and seconds and hours in a month: 30 days. */
const MONTHS = 12;
const SECONDS = 2_592_000;
const HOURS = 720;

/** How candidates are used. Put your own figures here. */
export const HABITS = {
  /** 1 for single creates, up to 100 for batches. */
  candidatesPerCreate: 1,
  readsPerCandidate: 6,
  amendsPerCandidate: 2,
  /** Verified and promoted; each fires an event, as does the create. */
  transitionsPerCandidate: 2,
  endpointsPerEvent: 2,
  attemptsPerDelivery: 1.1,
  yearsKept: 3,
} as const;

type Habits = Readonly<Record<keyof typeof HABITS, number>>;

/** Production's settings that have a price. */
export interface Kept {
  readonly dailyBackups: number;
  readonly monthlyBackups: number;
  readonly logMonths: number;
  /** The provisioned pollers of each queue that has a consumer, 0 if it has none. */
  readonly pollers: readonly number[];
}

export type Service =
  | "API Gateway"
  | "WAF"
  | "Lambda"
  | "DynamoDB requests"
  | "DynamoDB storage"
  | "Recovery and backups"
  | "SQS"
  | "Provisioned pollers"
  | "Logs and traces"
  | "Metrics and alarms"
  | "Data out"
  | "Keys and secrets";

/** What a month's load consists of. */
function monthlyLoad(candidatesAYear: number, habits: Habits) {
  const creates = candidatesAYear / MONTHS;
  const reads = creates * habits.readsPerCandidate;
  const amends = creates * habits.amendsPerCandidate;
  const transitions = creates * habits.transitionsPerCandidate;
  const createRequests = creates / habits.candidatesPerCreate;
  const requests = createRequests + reads + amends;
  const events = creates + transitions;
  const deliveries = events * habits.endpointsPerEvent;
  const attempts = deliveries * habits.attemptsPerDelivery;
  const authorizations = requests * UNITS.authorizationsPerRequest;
  const candidatesKept = candidatesAYear * habits.yearsKept;
  return {
    creates,
    createRequests,
    reads,
    amends,
    transitions,
    requests,
    events,
    deliveries,
    attempts,
    authorizations,
    candidatesKept,
  };
}

type Load = ReturnType<typeof monthlyLoad>;

function gigabyteSecondsOf(load: Load): number {
  const { creates, createRequests, requests, authorizations, transitions, events, attempts } = load;
  return (
    requests * UNITS.requestGigabyteSeconds +
    (creates - createRequests) * UNITS.batchRowGigabyteSeconds +
    authorizations * UNITS.authorizationGigabyteSeconds +
    transitions * UNITS.transitionGigabyteSeconds +
    events * UNITS.publishGigabyteSeconds +
    attempts * UNITS.attemptGigabyteSeconds
  );
}

function writeUnitsOf({ creates, amends, transitions, events, attempts }: Load): number {
  return (
    creates * UNITS.createWriteUnits +
    amends * UNITS.amendWriteUnits +
    transitions * UNITS.transitionWriteUnits +
    events * UNITS.feedWriteUnits +
    attempts * UNITS.attemptWriteUnits
  );
}

function readUnitsOf({ reads, transitions, events, attempts, deliveries, authorizations }: Load): number {
  return (
    reads * UNITS.readReadUnits +
    transitions * UNITS.transitionReadUnits +
    events * UNITS.publishReadUnits +
    attempts * UNITS.attemptReadUnits +
    (attempts - deliveries) * UNITS.retryReadUnits +
    authorizations
  );
}

function loggedGigabytes({ requests, createRequests, amends, events, attempts }: Load): number {
  return gigabytes(
    requests * UNITS.requestLogKilobytes +
      (createRequests + amends) * UNITS.webAclLogKilobytes +
      events * UNITS.publishLogKilobytes +
      attempts * UNITS.attemptLogKilobytes,
  );
}

/** A month's cost in US dollars by service. */
export function monthlyCost(
  candidatesAYear: number,
  kept: Kept,
  habits: Habits = HABITS,
): Record<Service, number> {
  const load = monthlyLoad(candidatesAYear, habits);
  const { requests, events, attempts } = load;
  const tableGigabytes = gigabytes(
    load.candidatesKept * UNITS.candidateKilobytes +
      load.deliveries * UNITS.deliveryRecordKilobytes +
      load.events * UNITS.feedKilobytes,
  );
  const logged = loggedGigabytes(load);
  const invocations = requests + load.authorizations + load.transitions + events + attempts;
  // A batch of sends for each event; each attempt is received and deleted.
  const sqsRequests = events + 2 * attempts;
  return {
    "API Gateway": stepped(requests / 1e6, PRICES.apiGatewayMillionRequests),
    WAF:
      PRICES.webAcl + STANDING.webAclRules * PRICES.webAclRule + (requests / 1e6) * PRICES.wafMillionRequests,
    Lambda:
      (invocations / 1e6) * PRICES.lambdaMillionRequests +
      stepped(gigabyteSecondsOf(load) / 1e6, PRICES.lambdaMillionGigabyteSeconds),
    "DynamoDB requests":
      (writeUnitsOf(load) / 1e6) * PRICES.dynamoDbMillionWriteUnits +
      (readUnitsOf(load) / 1e6) * PRICES.dynamoDbMillionReadUnits,
    "DynamoDB storage": tableGigabytes * PRICES.dynamoDbGigabyte,
    "Recovery and backups":
      tableGigabytes * PRICES.pointInTimeRecoveryGigabyte +
      tableGigabytes * (kept.dailyBackups + kept.monthlyBackups) * PRICES.backupGigabyte,
    SQS: (sqsRequests / 1e6 + millionIdleReceives(kept)) * PRICES.sqsMillionRequests,
    "Provisioned pollers":
      kept.pollers.reduce((sum, pollers) => sum + pollers, 0) * HOURS * PRICES.pollerHour,
    "Logs and traces":
      logged * PRICES.logGigabyteTaken +
      logged * UNITS.keptLogShare * kept.logMonths * PRICES.logGigabyteKept +
      ((traced(requests) + traced(attempts)) / 1e6) * PRICES.xRayMillionTraces,
    "Metrics and alarms":
      STANDING.metrics * PRICES.metric + STANDING.alarmedMetrics * PRICES.alarmedMetric + PRICES.dashboard,
    "Data out":
      gigabytes(
        (load.reads + load.amends) * UNITS.responseKilobytes + attempts * UNITS.deliveryOutKilobytes,
      ) * PRICES.gigabyteOut,
    "Keys and secrets": PRICES.kmsKey + PRICES.secret,
  };
}

/** What the event feed and recoveries add to a month's cost, in US dollars. */
export interface FeedCost {
  readonly writes: number;
  readonly storage: number;
  readonly backups: number;
  readonly lambda: number;
  /** Whatever the load: alarms, and the idle polls of the recovery queue. */
  readonly standing: number;
}

/**
 * @param events a month's events, each published alone
 */
export function feedCost(events: number, { dailyBackups, monthlyBackups }: Kept): FeedCost {
  const stored = gigabytes(events * UNITS.feedKilobytes);
  return {
    writes: ((events * UNITS.feedWriteUnits) / 1e6) * PRICES.dynamoDbMillionWriteUnits,
    storage: stored * PRICES.dynamoDbGigabyte,
    backups:
      stored * (PRICES.pointInTimeRecoveryGigabyte + (dailyBackups + monthlyBackups) * PRICES.backupGigabyte),
    lambda: stepped((events * UNITS.feedGigabyteSeconds) / 1e6, PRICES.lambdaMillionGigabyteSeconds),
    standing:
      STANDING.feedAlarmedMetrics * PRICES.alarmedMetric +
      STANDING.waitingBatches * STANDING.millionReceives * PRICES.sqsMillionRequests,
  };
}

/** A month's receives of the queues' pollers if there were no messages. */
function millionIdleReceives({ pollers }: Kept): number {
  const waiting = pollers.map((provisioned) =>
    provisioned > 0 ? provisioned * STANDING.waitingBatchesOfPoller : STANDING.waitingBatches,
  );
  return waiting.reduce((sum, batches) => sum + batches, 0) * STANDING.millionReceives;
}

/** The load that deliveries put on the consumer and its queues. */
export interface Deliveries {
  readonly attempts: number;
  /** Retries and those from the retry queue: the delivery's record and the candidate are read before. */
  readonly attemptsOfRetries: number;
  /** Requests that send messages, of up to ten messages each. */
  readonly sends: number;
  /** Waits in the table. */
  readonly waits: number;
  readonly batches: number;
  /** The time that batches took together, by their functions' memory. */
  readonly gigabyteSeconds: number;
  /** How long provisioned pollers were there together, in hours. */
  readonly pollerHours: number;
  /** Receives that found no message. */
  readonly emptyReceives: number;
}

/** The cost of deliveries in US dollars, without what costs the same under any load. */
export function deliveryCost(deliveries: Deliveries): number {
  const { attempts, attemptsOfRetries, sends, waits, batches, gigabyteSeconds, pollerHours, emptyReceives } =
    deliveries;
  const logged = gigabytes(attempts * UNITS.attemptLogKilobytes);
  return (
    (batches / 1e6) * PRICES.lambdaMillionRequests +
    stepped(gigabyteSeconds / 1e6, PRICES.lambdaMillionGigabyteSeconds) +
    // A batch is received and deleted in one request each.
    ((sends + 2 * batches + emptyReceives) / 1e6) * PRICES.sqsMillionRequests +
    (waits / 1e6) *
      (UNITS.waitWriteUnits * PRICES.dynamoDbMillionWriteUnits +
        UNITS.waitReadUnits * PRICES.dynamoDbMillionReadUnits +
        UNITS.waitSends * PRICES.sqsMillionRequests) +
    pollerHours * PRICES.pollerHour +
    (attempts / 1e6) *
      (UNITS.attemptReadUnits * PRICES.dynamoDbMillionReadUnits +
        UNITS.attemptWriteUnits * PRICES.dynamoDbMillionWriteUnits) +
    (attemptsOfRetries / 1e6) * UNITS.retryReadUnits * PRICES.dynamoDbMillionReadUnits +
    logged * PRICES.logGigabyteTaken +
    gigabytes(attempts * UNITS.deliveryOutKilobytes) * PRICES.gigabyteOut
  );
}

export function totalOf(cost: Readonly<Record<Service, number>>): number {
  return Object.values(cost).reduce((sum, usDollars) => sum + usDollars, 0);
}

function stepped(quantity: number, steps: Steps): number {
  let left = quantity;
  let cost = 0;
  for (const { units, usDollars } of steps) {
    const taken = Math.min(left, units);
    cost += taken * usDollars;
    left -= taken;
  }
  return cost;
}

/** One a second, and a share of the rest. */
function traced(count: number): number {
  return Math.min(count, SECONDS) + Math.max(0, count - SECONDS) * UNITS.tracedShare;
}

function gigabytes(kilobytes: number): number {
  return kilobytes / 1e6;
}
