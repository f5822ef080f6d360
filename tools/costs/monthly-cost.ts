/** The monthly cost of the service in production, from its load and AWS's list prices. */
import { PRICES, stepped } from "./prices.ts";
import { gigabytes, STANDING, UNITS } from "./units.ts";

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

/**
 * What a month's load consists of.
 *
 * @internal Exported for tests.
 */
export function monthlyLoad(candidatesAYear: number, habits: Habits) {
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

/** @internal Exported for tests. */
export function writeUnitsOf({ creates, amends, transitions, events, attempts }: Load): number {
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

/**
 * What a reader that polls the event feed once a second adds to a month's cost, in US dollars, if there are other
 * requests in each second: otherwise all of its requests are traced.
 */
export function pollingCost({ logMonths }: Kept): number {
  const { authorizationsPerRequest } = UNITS;
  const millions = SECONDS / 1e6;
  const logged = gigabytes(SECONDS * UNITS.requestLogKilobytes);
  return (
    stepped(millions, PRICES.apiGatewayMillionRequests) +
    millions * PRICES.wafMillionRequests +
    millions * (1 + authorizationsPerRequest) * PRICES.lambdaMillionRequests +
    stepped(
      millions *
        (UNITS.requestGigabyteSeconds + authorizationsPerRequest * UNITS.authorizationGigabyteSeconds),
      PRICES.lambdaMillionGigabyteSeconds,
    ) +
    millions * (UNITS.pollReadUnits + authorizationsPerRequest) * PRICES.dynamoDbMillionReadUnits +
    logged * (PRICES.logGigabyteTaken + UNITS.keptLogShare * logMonths * PRICES.logGigabyteKept) +
    millions * UNITS.tracedShare * PRICES.xRayMillionTraces
  );
}

/** A month's receives of the queues' pollers if there were no messages. */
function millionIdleReceives({ pollers }: Kept): number {
  const waiting = pollers.map((provisioned) =>
    provisioned > 0 ? provisioned * STANDING.waitingBatchesOfPoller : STANDING.waitingBatches,
  );
  return waiting.reduce((sum, batches) => sum + batches, 0) * STANDING.millionReceives;
}

export function totalOf(cost: Readonly<Record<Service, number>>): number {
  return Object.values(cost).reduce((sum, usDollars) => sum + usDollars, 0);
}

/** One a second, and a share of the rest. */
function traced(count: number): number {
  return Math.min(count, SECONDS) + Math.max(0, count - SECONDS) * UNITS.tracedShare;
}
