import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { DELIVERY_LIMITS } from "./delivery-limits.ts";
import type { EdgeRates, EnvironmentSettings } from "./environment-settings.ts";

const PRODUCTION_EDGE: EdgeRates = { perKey: 60_000, perAddress: 60_000 };

/** The settings are explained, and validated before each synthesis, in environment-settings.ts. */
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
