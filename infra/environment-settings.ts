import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as z from "zod";
import { TOMBSTONE_DAYS } from "#candidates/store/write/tombstone";
import { EnvironmentName, ErasureRequests, RetrySchedule } from "#runtime/environment";
import { EVENT_RETENTION } from "#webhooks/feed/retention";
import { BatchConcurrency, mostBatches } from "./delivery-limits.ts";
import { ReceiverNetwork } from "./receiver-network.ts";
import { settings, wholeNumber } from "./setting-values.ts";

const Switch = z.boolean("true or false is expected");
const EmailAddress = z.email("an e-mail address is expected");

const BackupDays = wholeNumber(
  1,
  TOMBSTONE_DAYS - 1,
  "after a restore, tombstones determine what was erased; they must be kept longer than any backup",
);

/** How long the table's backups are kept. The vault's lock has the shorter time as its minimum. */
const BackupRetention = settings({ dailyDays: BackupDays, monthlyDays: BackupDays }).refine(
  ({ dailyDays, monthlyDays }) => dailyDays !== monthlyDays,
  { path: ["monthlyDays"], error: "another number than that of dailyDays is expected (AWS CDK)" },
);
export type BackupRetention = z.infer<typeof BackupRetention>;

const Executions = wholeNumber(1);

/** How the account's concurrent executions are divided. */
const Concurrency = settings({
  /** The account's quota in the region: 1,000 by default, as little as 10 in a new account (AWS Lambda quotas). */
  account: Executions,
  /**
   * The executions reserved for a function, which are also its limit. All other functions share the rest. These
   * functions could exhaust the account's concurrency, or must not wait for other functions' load.
   */
  reserved: settings({
    "authorize-request": Executions,
    "create-candidate": Executions,
    "create-candidate-batch": Executions,
    "deliver-aside": Executions,
    "deliver-webhook": Executions,
    "publish-events": Executions,
    "refuse-method": Executions,
    "release-deliveries": Executions,
    "retry-webhook": Executions,
    "revoke-api-key": Executions,
  }),
});
export type Concurrency = z.infer<typeof Concurrency>;

/** AWS WAF API, RateBasedStatement. */
const EdgeRate = wholeNumber(10, 2_000_000_000, "AWS WAF");

/** The most requests allowed in five minutes. */
const EdgeRates = settings({ perKey: EdgeRate, perAddress: EdgeRate });
export type EdgeRates = z.infer<typeof EdgeRates>;

/** The budget of an environment, and the address to notify. */
const MonthlyBudget = settings({
  /** AWS Budgets accepts no sign (AWS Cost Management API, Spend). */
  usDollars: z.number("an amount above 0 is expected").positive(),
  address: EmailAddress,
});
export type MonthlyBudget = z.infer<typeof MonthlyBudget>;

/**
 * The prefix `aws:` in any case is reserved, in keys and in values (AWS CloudFormation template reference, "Resource
 * tags"). The characters are those that services have in common (Tagging AWS Resources user guide, "Tag naming limits
 * and requirements"). The stack sets the tags `service` and `environment`, and a role has no second tag that differs
 * only in case (AWS IAM user guide, "Case sensitivity" of tags).
 */
const TAG_KEY = /^(?!aws:|(?:service|environment)$)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/iu;
const TAG_VALUE = /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,256}$/iu;
const TAG_CHARACTERS = "letters, digits, spaces and _.:/=+-@";

/** Lengths are those of the AWS CloudFormation API, Tag; the number is that of CreateStack, without the stack's two. */
const Tags = z
  .record(
    z.string().regex(TAG_KEY),
    z
      .string(`a value of 1 to 256 ${TAG_CHARACTERS} is expected, which does not begin with aws:`)
      .regex(TAG_VALUE),
    {
      error: ({ code }) =>
        code === "invalid_key"
          ? `a key of 1 to 128 ${TAG_CHARACTERS} is expected, which does not begin with aws: and is not service or environment in any case: every stack has these tags`
          : "an object of keys and values is expected",
    },
  )
  .refine((tags) => Object.keys(tags).length <= 48, "at most 48 tags are expected (AWS CloudFormation)")
  .refine((tags) => {
    const keys = Object.keys(tags).map((key) => key.toLowerCase());
    return new Set(keys).size === keys.length;
  }, "keys that differ in more than their case are expected (AWS IAM)");

const Members = settings({
  /** Part of the names of stacks, functions and API keys. */
  name: EnvironmentName,
  /**
   * The account, and the region, that `cdk deploy` accepts; those of the credentials if absent. With gradual
   * deployments, set it before the first one: CDK puts both into the name of the bucket with each function's code, and
   * so expects another version of the function. Lambda publishes none if nothing else has changed (AWS Lambda API,
   * PublishVersion), and CloudFormation rolls back.
   */
  deployTo: settings({
    /** AWS Account Management reference guide, "View AWS account identifiers". */
    account: z.string("an account of 12 digits in quotation marks is expected").regex(/^\d{12}$/),
    region: z.string("a region such as eu-west-1 is expected").regex(/^[a-z]+(?:-[a-z]+)+-\d+$/),
  }).optional(),
  /** Keep table and logs when the stack is deleted, and refuse to delete the table or the stack. */
  retainData: Switch,
  /** Only certain numbers of days are possible (Amazon CloudWatch Logs API, PutRetentionPolicy). */
  logRetention: z.enum(
    RetentionDays,
    "a member of RetentionDays is expected, such as RetentionDays.ONE_YEAR",
  ),
  /**
   * A restored table that replaces the stack's own; see docs/operations.md#restore. Its name has the length and the
   * characters of the Amazon DynamoDB developer guide, "Naming rules".
   */
  restoredTable: z
    .string("a table name of 3 to 255 letters, digits and _.- is expected (Amazon DynamoDB)")
    .regex(/^[\w.-]{3,255}$/)
    .optional(),
  /** Backups in addition to point-in-time recovery, which covers 35 days; none if absent. */
  backups: BackupRetention.optional(),
  /**
   * Whether new code first receives a part of the calls, and is rolled back if an alarm fires. A change replaces the
   * mappings of the table's stream, so that the events of the last 12 hours are sent again, with the same ids, and
   * older ones become unreadable events and unswept parts (docs/operations.md#rollback).
   */
  gradualDeployment: Switch,
  /** Executions reserved for functions that others could starve; one shared pool if absent. */
  concurrency: Concurrency.optional(),
  /**
   * The token bucket of each method, which all callers share: requests per second, and the burst. Throttling limits of
   * a stage "are applied at the API method level" (API Gateway developer guide, "Throttle requests to your REST APIs").
   * All methods together are limited only by the account's quota: 10,000 a second, bursts of 5,000. With 0, API Gateway
   * refuses every request.
   */
  throttle: settings({ ratePerSecond: wholeNumber(1), burst: wholeNumber(1) }),
  /**
   * Limits at the edge, in requests per caller in five minutes; no web ACL if absent. The rest of the ACL is the same
   * in every environment that has one: set `PRODUCTION_EDGE` in development to test it there.
   */
  edge: EdgeRates.optional(),
  /** The e-mail address that alarms notify; none if absent. Other recipients subscribe to the stack's topic. */
  alarmAddress: EmailAddress.optional(),
  /** The monthly budget, and the address that it notifies by e-mail; none if absent. */
  budget: MonthlyBudget.optional(),
  /** Tags for the whole stack in addition to service and environment, for example `{ owner: "…" }`. */
  tags: Tags.optional(),
  /** Whether partners may erase their candidates through the API. If not, its function has no access to the table. */
  erasureRequests: ErasureRequests,
  /** Whether partners may perform the platform's transitions (`/v1/sandbox`), for tests; refused in production. */
  sandbox: Switch,
  webhooks: settings({
    /** Networks in CIDR notation that deliveries may reach although they are not public. */
    allowedNetworks: z.array(ReceiverNetwork, "a list of networks in CIDR notation is expected"),
    /** `practice` replaces days with minutes, to practise the runbook; refused in production. */
    retrySchedule: RetrySchedule,
    /** The concurrent batches of the delivery queue; see docs/decisions/0044-delivery-limits.md. */
    deliveryConcurrency: BatchConcurrency,
    /** The same for the side queue: samples, resends, first retries, and endpoints that are failing or may be slow. */
    sideConcurrency: BatchConcurrency,
    /** The same for the retry queue: later retries, and deliveries to slow endpoints. */
    retryConcurrency: BatchConcurrency,
    /** The number of batches of one stream shard published concurrently (AWS Lambda API, ParallelizationFactor). */
    publishConcurrencyPerShard: wholeNumber(1, 10, "AWS Lambda"),
    /** How many days the event feed keeps events. Raise it by at most one day a day (docs/decisions/0045). */
    eventRetentionDays: wholeNumber(EVENT_RETENTION.leastDays, EVENT_RETENTION.mostDays),
  }),
});

/** Whether these settings are valid: a rule about them then applies, whatever is wrong with others. */
function whenValid(shape: z.core.$ZodLooseShape) {
  const involved = z.object(shape);
  return ({ value }: { readonly value: unknown }) => involved.safeParse(value).success;
}

/** The settings that differ between the environments. */
const EnvironmentSettings = Members.refine(({ name, sandbox }) => name !== "production" || !sandbox, {
  path: ["sandbox"],
  error: "false is expected in production",
  when: whenValid({ name: EnvironmentName, sandbox: Switch }),
})
  .refine(({ name, webhooks }) => name !== "production" || webhooks.retrySchedule !== "practice", {
    path: ["webhooks", "retrySchedule"],
    error: '"standard" is expected in production',
    when: whenValid({ name: EnvironmentName, webhooks: z.object({ retrySchedule: RetrySchedule }) }),
  })
  .superRefine(
    ({ concurrency, webhooks }, context) => {
      if (!concurrency) return;
      for (const [consumer, batches] of [
        ["deliver-webhook", mostBatches(webhooks.deliveryConcurrency)],
        ["deliver-aside", mostBatches(webhooks.sideConcurrency)],
        ["retry-webhook", mostBatches(webhooks.retryConcurrency)],
      ] as const) {
        if (concurrency.reserved[consumer] >= batches) continue;
        context.addIssue({
          code: "custom",
          path: ["concurrency", "reserved", consumer],
          message: `at least ${batches} is expected, for as many batches at once: a batch without an execution counts as received, and may be dead-lettered`,
        });
      }
    },
    {
      when: whenValid({
        concurrency: Concurrency.optional(),
        webhooks: z.object({
          deliveryConcurrency: BatchConcurrency,
          sideConcurrency: BatchConcurrency,
          retryConcurrency: BatchConcurrency,
        }),
      }),
    },
  );
export type EnvironmentSettings = z.infer<typeof EnvironmentSettings>;

/** The settings of all environments, each with a name of its own. */
export const Environments = z.array(EnvironmentSettings, "a list of environments is expected").superRefine(
  (environments, context) => {
    for (const [index, { name }] of environments.entries()) {
      const first = environments.findIndex((each) => each.name === name);
      if (first === index) continue;
      const message = `another name than that of environments[${first}] is expected`;
      context.addIssue({ code: "custom", path: [index, "name"], message });
    }
  },
  { when: ({ value }) => z.array(z.object({ name: EnvironmentName })).safeParse(value).success },
);
