import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { EnvironmentName, ErasureRequests, RetrySchedule } from "#runtime/environment";
import { type BatchConcurrency, DELIVERY_LIMITS } from "./delivery-limits.ts";

/** How long the table's backups are kept. */
export interface BackupRetention {
  readonly dailyDays: number;
  readonly monthlyDays: number;
}

/** The functions that could exhaust the account's concurrency, or that must not wait for other functions' load. */
type ReservedFunction =
  | "authorize-request"
  | "create-candidate"
  | "create-candidate-batch"
  | "deliver-aside"
  | "deliver-webhook"
  | "publish-events"
  | "refuse-method"
  | "release-deliveries"
  | "retry-webhook"
  | "revoke-api-key";

/** How the account's concurrent executions are divided. */
interface Concurrency {
  /** The account's quota in the region: 1,000 by default, as little as 10 in a new account (AWS Lambda quotas). */
  readonly account: number;
  /** The executions reserved for a function, which are also its limit. All other functions share the rest. */
  readonly reserved: Readonly<Record<ReservedFunction, number>>;
}

/** The most requests allowed in five minutes. */
export interface EdgeRates {
  readonly perKey: number;
  readonly perAddress: number;
}

/** The budget of an environment, and the address to notify. */
export interface MonthlyBudget {
  readonly usDollars: number;
  readonly address: string;
}

/** The settings that differ between the environments. */
export interface EnvironmentSettings {
  readonly name: EnvironmentName;
  /** The account, and the region, that `cdk deploy` accepts; those of the credentials if absent. */
  readonly deployTo?: { readonly account: string; readonly region: string };
  /** Keep table and logs when the stack is deleted, and refuse to delete the table or the stack. */
  readonly retainData: boolean;
  readonly logRetention: RetentionDays;
  /** A restored table that replaces the stack's own; see docs/operations.md#restore. */
  readonly restoredTable?: string;
  /** Backups in addition to point-in-time recovery, which covers 35 days; none if absent. */
  readonly backups?: BackupRetention;
  /** Whether new code first receives a part of the calls, and is rolled back if an alarm fires. */
  readonly gradualDeployment: boolean;
  /** Executions reserved for functions that others could starve; one shared pool if absent. */
  readonly concurrency?: Concurrency;
  /**
   * The token bucket of each method, which all callers share: requests per second, and the burst. Throttling limits of a
   * stage "are applied at the API method level" (API Gateway developer guide, "Throttle requests to your REST APIs"). All
   * methods together are limited only by the account's quota: 10,000 a second, bursts of 5,000.
   */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number };
  /**
   * Limits at the edge, in requests per caller in five minutes; no web ACL if absent. The rest of the ACL is the same
   * in every environment that has one: set {@link PRODUCTION_EDGE} in development to test it there.
   */
  readonly edge?: EdgeRates;
  /** The e-mail address that alarms notify; none if absent. Other recipients subscribe to the stack's topic. */
  readonly alarmAddress?: string;
  /** The monthly budget, and the address that it notifies by e-mail; none if absent. */
  readonly budget?: MonthlyBudget;
  /** Tags for the whole stack in addition to service and environment, for example `{ owner: "…" }`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Whether partners may erase their candidates through the API. If not, its function has no access to the table. */
  readonly erasureRequests: ErasureRequests;
  /** Whether partners may perform the platform's transitions (`/v1/sandbox`), for tests; refused in production. */
  readonly sandbox: boolean;
  readonly webhooks: {
    /** Networks in CIDR notation that deliveries may reach although they are not public. */
    readonly allowedNetworks: readonly string[];
    /** `practice` replaces days with minutes, to practise the runbook; refused in production. */
    readonly retrySchedule: RetrySchedule;
    /** The concurrent batches of the delivery queue; see docs/decisions/0044-delivery-limits.md. */
    readonly deliveryConcurrency: BatchConcurrency;
    /** The same for the side queue: samples, resends, first retries, and endpoints that are failing or may be slow. */
    readonly sideConcurrency: BatchConcurrency;
    /** The same for the retry queue: later retries, and deliveries to slow endpoints. */
    readonly retryConcurrency: BatchConcurrency;
    /** The number of batches of one stream shard published concurrently (1 to 10; AWS Lambda). */
    readonly publishConcurrencyPerShard: number;
    /** How many days the event feed keeps events: 1 to 90. Raise it by at most one day a day (docs/decisions/0045). */
    readonly eventRetentionDays: number;
  };
}

const PRODUCTION_EDGE: EdgeRates = { perKey: 60_000, perAddress: 60_000 };

export const environments: readonly EnvironmentSettings[] = [
  {
    name: "development",
    retainData: false,
    logRetention: RetentionDays.TWO_WEEKS,
    gradualDeployment: false,
    throttle: { ratePerSecond: 100, burst: 200 },
    erasureRequests: "accepted",
    sandbox: true,
    webhooks: {
      allowedNetworks: [],
      retrySchedule: "standard",
      deliveryConcurrency: { atMost: 10 },
      sideConcurrency: { atMost: 20 },
      retryConcurrency: { atMost: 10 },
      publishConcurrencyPerShard: 2,
      eventRetentionDays: 30,
    },
  },
  {
    name: "production",
    retainData: true,
    logRetention: RetentionDays.ONE_YEAR,
    backups: { dailyDays: 3, monthlyDays: 90 },
    gradualDeployment: true,
    concurrency: {
      account: 1_000,
      reserved: {
        // Every request needs it. A lookup takes about 10 ms, once a minute per key.
        "authorize-request": 100,
        // A partner's burst of 2,000 a second (the throttle below) at 150 ms each. Reads must not wait for it.
        "create-candidate": 300,
        // 20 batches a second (infra/service-rest-api.ts) take half a second each, and up to 25 s if the table is slow.
        "create-candidate-batch": 50,
        // Ten per stream shard. The number of shards grows with the table; the reservation limits the total.
        "publish-events": 100,
        // As many as their queues may use (below), available regardless of the load of requests.
        "deliver-webhook": 100,
        "deliver-aside": 30,
        "retry-webhook": 100,
        // One run at a time, regardless of the load of requests.
        "release-deliveries": 1,
        // On the paths of the documentation it needs no key, so that anybody could use up the executions of reads.
        "refuse-method": 10,
        // So that a leaked key can be revoked while requests use all other executions.
        "revoke-api-key": 1,
      },
    },
    throttle: { ratePerSecond: 2_000, burst: 4_000 },
    edge: PRODUCTION_EDGE,
    erasureRequests: "accepted",
    sandbox: false,
    webhooks: {
      allowedNetworks: [],
      retrySchedule: "standard",
      ...DELIVERY_LIMITS.withoutFixedPrice,
      publishConcurrencyPerShard: 10,
      eventRetentionDays: 30,
    },
  },
];
