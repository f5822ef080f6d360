import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { EnvironmentName } from "#aws/environment";
import type { EdgeRates } from "./edge-protection.ts";

/** Everything that differs between the environments. */
export interface EnvironmentSettings {
  readonly name: EnvironmentName;
  /** Keep table and logs when the stack is deleted, and refuse to delete the table or the stack. */
  readonly retainData: boolean;
  readonly logRetention: RetentionDays;
  /** The stage's token bucket for all callers together: requests per second, and how many at once. */
  readonly throttle: { readonly ratePerSecond: number; readonly burst: number };
  /** Limits at the edge, in requests of one caller in five minutes; no web ACL when absent. */
  readonly edge?: EdgeRates;
  /** Who is told of alarms by e-mail; nobody when absent. Others subscribe to the stack's topic. */
  readonly alarmAddress?: string;
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

export const environments: readonly EnvironmentSettings[] = [
  {
    name: "development",
    retainData: false,
    logRetention: RetentionDays.TWO_WEEKS,
    throttle: { ratePerSecond: 100, burst: 200 },
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
    throttle: { ratePerSecond: 2_000, burst: 4_000 },
    edge: { perKey: 60_000, perAddress: 60_000 },
    webhooks: {
      allowedNetworks: [],
      deliveryConcurrency: 100,
      retryConcurrency: 100,
      publishConcurrencyPerShard: 10,
    },
  },
];
