import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { EnvironmentName, ErasureRequests } from "#runtime/environment";

/** How long the table's backups are kept. */
export interface BackupRetention {
  readonly dailyDays: number;
  readonly monthlyDays: number;
}

/** The functions that could use up the account's executions, or whose callers must not wait for others' load. */
type CrowdedFunction = "authorize-request" | "create-candidate" | "deliver-webhook" | "publish-events";

/** How the executions that an account may have under way at once are shared out. */
interface Concurrency {
  /** The account's quota in the region: 1,000 by default, as little as 10 in a new account (AWS Lambda quotas). */
  readonly account: number;
  /** What a function has for itself, and never exceeds. All others share what is left. */
  readonly reserved: Readonly<Record<CrowdedFunction, number>>;
}

/** How many requests are let through in five minutes. */
export interface EdgeRates {
  readonly perKey: number;
  readonly perAddress: number;
}

/** What an environment may cost, and the address that is notified. */
export interface MonthlyBudget {
  readonly usDollars: number;
  readonly address: string;
}

/** Everything that differs between the environments. */
export interface EnvironmentSettings {
  readonly name: EnvironmentName;
  /** Keep table and logs when the stack is deleted, and refuse to delete the table or the stack. */
  readonly retainData: boolean;
  readonly logRetention: RetentionDays;
  /** A restored table that takes the place of the stack's own; see docs/operations.md#restore. */
  readonly restoredTable?: string;
  /** Backups beside the recovery to a point in time, which reaches back 35 days; none when absent. */
  readonly backups?: BackupRetention;
  /** Whether new code first takes a part of the calls, and gives them back when an alarm fires. */
  readonly gradualDeployment: boolean;
  /** Executions kept for functions that others could starve; one pool for all when absent. */
  readonly concurrency?: Concurrency;
  /** The stage's token bucket for all callers together: requests per second, and how many at once. */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number };
  /**
   * Limits at the edge, in requests of one caller in five minutes; no web ACL when absent. The rest of the ACL is
   * the same in every environment that has one: give development {@link PRODUCTION_EDGE} to test it there.
   */
  readonly edge?: EdgeRates;
  /** The e-mail address that alarms notify; none when absent. Others subscribe to the stack's topic. */
  readonly alarmAddress?: string;
  /** What a month may cost before an e-mail is sent; no limit when absent. */
  readonly budget?: MonthlyBudget;
  /** What everything in the stack is tagged with besides service and environment, as `{ owner: "…" }`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Whether partners may erase their candidates through the API; where refused, its function reaches no data. */
  readonly erasureRequests: ErasureRequests;
  readonly webhooks: {
    /** Networks in CIDR notation that deliveries may reach although they are not public. */
    readonly allowedNetworks: readonly string[];
    /** How many batches of deliveries are under way at once, of ten each. */
    readonly deliveryConcurrency: number;
    /** The same of the deliveries to endpoints that fail. */
    readonly retryConcurrency: number;
    /** How many batches of one stream shard are published at once (1 to 10; AWS Lambda). */
    readonly publishConcurrencyPerShard: number;
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
    webhooks: {
      allowedNetworks: [],
      deliveryConcurrency: 10,
      retryConcurrency: 10,
      publishConcurrencyPerShard: 2,
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
        // Without it no request is answered at all. A lookup takes some 10 ms, once a minute per key.
        "authorize-request": 100,
        // A partner's burst of 2,000 a second (the throttle below) at 150 ms each; reads must not wait for it.
        "create-candidate": 300,
        // Ten per stream shard, and shards come with the table's size: no more than this.
        "publish-events": 100,
        // As many as its two queues may use (below), and always, however many requests there are.
        "deliver-webhook": 200,
      },
    },
    throttle: { ratePerSecond: 2_000, burst: 4_000 },
    edge: PRODUCTION_EDGE,
    erasureRequests: "accepted",
    webhooks: {
      allowedNetworks: [],
      deliveryConcurrency: 100,
      retryConcurrency: 100,
      publishConcurrencyPerShard: 10,
    },
  },
];
