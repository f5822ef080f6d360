import { App } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import { TOMBSTONE_DAYS } from "#candidates/store/write/tombstone";
import { type EnvironmentSettings, Environments } from "../../infra/environment-settings.ts";
import { environmentStacks, InvalidSettings } from "../../infra/environment-stacks.ts";
import { environments } from "../../infra/environments.ts";

const DEVELOPMENT = environments.findIndex(({ name }) => name === "development");
const PRODUCTION = environments.findIndex(({ name }) => name === "production");

type Path = readonly [string | number, ...(string | number)[]];

/** A copy with another value at this path; without the member if the value is undefined. */
function changed(original: unknown, [name, ...rest]: Path, value: unknown): unknown {
  const copy: Record<string | number, unknown> = Object.assign(Array.isArray(original) ? [] : {}, original);
  const [next, ...others] = rest;
  const member = next === undefined ? value : changed(copy[name], [next, ...others], value);
  if (member === undefined) delete copy[name];
  else copy[name] = member;
  return copy;
}

/** The problems that a synthesis lists, without the line above them. */
function problemsOf(settings: unknown, context: Readonly<Record<string, unknown>> = {}): string[] {
  try {
    environmentStacks(new App({ context }), settings as readonly EnvironmentSettings[]);
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    return error.message.split("\n- ").slice(1);
  }
  throw new Error("The settings are valid.");
}

const MISSING = undefined;
const CHARACTERS = "letters, digits, spaces and _.:/=+-@";
const TAG_KEY = `a key of 1 to 128 ${CHARACTERS} is expected, which does not begin with aws: and is not service or environment in any case: every stack has these tags`;
const TAG_VALUE = `a value of 1 to 256 ${CHARACTERS} is expected, which does not begin with aws:`;
const BATCHES =
  "{ atMost: 2 to 1,000 } or { provisioned: { atLeast: 2 to 200, atMost: 2 to 2,000 } } is expected (AWS Lambda, AWS CDK)";
const BACKUP_DAYS =
  "a whole number from 1 to 99 is expected (after a restore, tombstones determine what was erased; they must be kept longer than any backup)";

test.each<[Path, unknown, string]>([
  [["name"], "prod", '.name: "development" or "production" is expected'],
  [["retainData"], MISSING, ".retainData: missing; true or false is expected"],
  [["retainDate"], true, ": retainDate is unknown; the most similar name is retainData"],
  [["gradualDeployment"], "yes", ".gradualDeployment: true or false is expected"],
  [
    ["logRetention"],
    100,
    ".logRetention: a member of RetentionDays is expected, such as RetentionDays.ONE_YEAR",
  ],
  [
    ["deployTo"],
    { account: "12345", region: "eu-west-1" },
    ".deployTo.account: an account of 12 digits in quotation marks is expected",
  ],
  [
    ["deployTo"],
    { account: 111122223333, region: "eu-west-1" },
    ".deployTo.account: an account of 12 digits in quotation marks is expected",
  ],
  [
    ["deployTo"],
    { account: "111122223333", region: "eu-west1" },
    ".deployTo.region: a region such as eu-west-1 is expected",
  ],
  [
    ["restoredTable"],
    "",
    ".restoredTable: a table name of 3 to 255 letters, digits and _.- is expected (Amazon DynamoDB)",
  ],
  [
    ["restoredTable"],
    "restored table",
    ".restoredTable: a table name of 3 to 255 letters, digits and _.- is expected (Amazon DynamoDB)",
  ],
  [["backups", "dailyDays"], 0, `.backups.dailyDays: ${BACKUP_DAYS}`],
  [["backups", "monthlyDays"], TOMBSTONE_DAYS, `.backups.monthlyDays: ${BACKUP_DAYS}`],
  [
    ["backups"],
    { dailyDays: 30, monthlyDays: 30 },
    ".backups.monthlyDays: another number than that of dailyDays is expected (AWS CDK)",
  ],
  [["concurrency", "account"], "1000", ".concurrency.account: a whole number of at least 1 is expected"],
  [
    ["concurrency", "reserved", "create-candidate"],
    0,
    '.concurrency.reserved["create-candidate"]: a whole number of at least 1 is expected',
  ],
  [
    ["concurrency", "reserved", "creat-candidate"],
    1,
    ".concurrency.reserved: creat-candidate is unknown; the most similar name is create-candidate",
  ],
  [["throttle"], MISSING, ".throttle: missing; an object with ratePerSecond, burst is expected"],
  [["throttle", "burst"], 0, ".throttle.burst: a whole number of at least 1 is expected"],
  [["throttle", "ratePerSecond"], 0.5, ".throttle.ratePerSecond: a whole number of at least 1 is expected"],
  [["edge", "perKey"], 9, ".edge.perKey: a whole number from 10 to 2,000,000,000 is expected (AWS WAF)"],
  [
    ["edge", "perAddress"],
    2_000_000_001,
    ".edge.perAddress: a whole number from 10 to 2,000,000,000 is expected (AWS WAF)",
  ],
  [["alarmAddress"], "platform team", ".alarmAddress: an e-mail address is expected"],
  [
    ["budget"],
    { usDollars: -1, address: "a@example.com" },
    ".budget.usDollars: an amount above 0 is expected",
  ],
  [["budget"], { usDollars: 250, address: "nobody" }, ".budget.address: an e-mail address is expected"],
  [["tags"], { "AWS:owner": "platform" }, `.tags["AWS:owner"]: ${TAG_KEY}`],
  [["tags"], { Environment: "live" }, `.tags.Environment: ${TAG_KEY}`],
  [["tags"], { owner: "aws:platform" }, `.tags.owner: ${TAG_VALUE}`],
  [["tags"], { owner: "" }, `.tags.owner: ${TAG_VALUE}`],
  [["tags"], { "cost centre": 7 }, `.tags["cost centre"]: ${TAG_VALUE}`],
  [
    ["tags"],
    Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`tag${index}`, "x"])),
    ".tags: at most 48 tags are expected (AWS CloudFormation)",
  ],
  [
    ["tags"],
    { owner: "a", Owner: "b" },
    ".tags: keys that differ in more than their case are expected (AWS IAM)",
  ],
  [["erasureRequests"], "acceptd", '.erasureRequests: "accepted" or "refused" is expected'],
  [["sandbox"], true, ".sandbox: false is expected in production"],
  [
    ["webhooks", "allowedNetworks"],
    "10.0.0.0/8",
    ".webhooks.allowedNetworks: a list of networks in CIDR notation is expected",
  ],
  [
    ["webhooks", "allowedNetworks"],
    ["10.0.0.0/33"],
    ".webhooks.allowedNetworks[0]: a network such as 10.1.0.0/16 is expected",
  ],
  [
    ["webhooks", "allowedNetworks"],
    ["10/8"],
    ".webhooks.allowedNetworks[0]: a network such as 10.1.0.0/16 is expected",
  ],
  ...[
    "127.0.0.0/8",
    "169.254.170.2/32",
    "0.0.0.0/0",
    "0.0.0.0/32",
    // A larger network than the one in it.
    "128.0.0.0/1",
    "::1/128",
    "::/128",
    "::/0",
    "::ffff:7f00:0/104",
    "fe80::/64",
  ].map((network): [Path, unknown, string] => [
    ["webhooks", "allowedNetworks"],
    ["10.0.0.0/8", network],
    ".webhooks.allowedNetworks[1]: a network without loopback and link-local addresses is expected, where functions reach Lambda itself",
  ]),
  [
    ["webhooks", "retrySchedule"],
    "practise",
    '.webhooks.retrySchedule: "standard" or "practice" is expected',
  ],
  [
    ["webhooks", "retrySchedule"],
    "practice",
    '.webhooks.retrySchedule: "standard" is expected in production',
  ],
  [
    ["webhooks", "deliveryConcurrency"],
    { atMost: 1 },
    ".webhooks.deliveryConcurrency.atMost: a whole number from 2 to 1,000 is expected (AWS Lambda)",
  ],
  [["webhooks", "deliveryConcurrency"], 100, `.webhooks.deliveryConcurrency: ${BATCHES}`],
  [["webhooks", "sideConcurrency"], { atmost: 30 }, `.webhooks.sideConcurrency: ${BATCHES}`],
  [
    ["webhooks", "retryConcurrency"],
    { provisioned: { atLeast: 201, atMost: 300 } },
    ".webhooks.retryConcurrency.provisioned.atLeast: a whole number from 2 to 200 is expected (AWS CDK)",
  ],
  [
    ["webhooks", "retryConcurrency"],
    { provisioned: { atLeast: 3, atMost: 2 } },
    ".webhooks.retryConcurrency.provisioned.atMost: at least as many as atLeast is expected",
  ],
  [
    ["webhooks", "publishConcurrencyPerShard"],
    11,
    ".webhooks.publishConcurrencyPerShard: a whole number from 1 to 10 is expected (AWS Lambda)",
  ],
  [
    ["webhooks", "eventRetentionDays"],
    91,
    ".webhooks.eventRetentionDays: a whole number from 1 to 90 is expected",
  ],
  [
    ["webhooks", "eventRetentionDays"],
    "30",
    ".webhooks.eventRetentionDays: a whole number from 1 to 90 is expected",
  ],
])("production's %j is refused if it is %j", (path, value, problem) => {
  expect(problemsOf(changed(environments, [PRODUCTION, ...path], value))).toContain(
    `environments[${PRODUCTION}]${problem}`,
  );
});

test("every problem is listed at once, whichever environment it is in", () => {
  const mistakes: readonly [Path, unknown][] = [
    [[DEVELOPMENT, "sandbox"], "no"],
    [[DEVELOPMENT, "webhooks"], MISSING],
    [[PRODUCTION, "retainData"], MISSING],
    [[PRODUCTION, "sandbox"], true],
    [[PRODUCTION, "webhooks", "retrySchedule"], "practice"],
    [[PRODUCTION, "webhooks", "eventRetentionDays"], 0],
    [[PRODUCTION, "concurrency", "reserved", "deliver-aside"], 29],
  ];
  const settings = mistakes.reduce<unknown>((all, [path, value]) => changed(all, path, value), environments);

  const problems = problemsOf(settings, { urgent: "yes" });

  expect(problems.map((problem) => problem.slice(0, problem.indexOf(":"))).sort()).toEqual([
    "context.urgent",
    `environments[${DEVELOPMENT}].sandbox`,
    `environments[${DEVELOPMENT}].webhooks`,
    `environments[${PRODUCTION}].concurrency.reserved["deliver-aside"]`,
    `environments[${PRODUCTION}].retainData`,
    `environments[${PRODUCTION}].sandbox`,
    `environments[${PRODUCTION}].webhooks.eventRetentionDays`,
    `environments[${PRODUCTION}].webhooks.retrySchedule`,
  ]);
});

test("two environments of one name are refused", () => {
  expect(problemsOf(changed(environments, [DEVELOPMENT, "name"], "production"))).toContain(
    `environments[${PRODUCTION}].name: another name than that of environments[${DEVELOPMENT}] is expected`,
  );
});

test.each<[Path, unknown]>([
  [[DEVELOPMENT, "sandbox"], true],
  [[DEVELOPMENT, "webhooks", "retrySchedule"], "practice"],
  [
    [DEVELOPMENT, "webhooks", "allowedNetworks"],
    ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8", "2001:db8::/32"],
  ],
  [[DEVELOPMENT, "webhooks", "eventRetentionDays"], 1],
  [[PRODUCTION, "webhooks", "eventRetentionDays"], 90],
  [[PRODUCTION, "backups"], { dailyDays: 1, monthlyDays: TOMBSTONE_DAYS - 1 }],
  [[PRODUCTION, "edge"], { perKey: 10, perAddress: 2_000_000_000 }],
  [[PRODUCTION, "deployTo"], { account: "011122223333", region: "us-gov-west-1" }],
  [[PRODUCTION, "deployTo"], { account: "111122223333", region: "eusc-de-east-1" }],
  [[PRODUCTION, "tags"], { owner: "platform team", "cost-centre:1": "Zürich/7" }],
  [[PRODUCTION, "budget"], { usDollars: 0.5, address: "platform+aws@example.com" }],
  [[PRODUCTION, "concurrency"], MISSING],
])("%j may be %j", (path, value) => {
  expect(Environments.safeParse(changed(environments, path, value)).error).toBeUndefined();
});

test("a setting that may be absent may also be undefined", () => {
  const absent = {
    deployTo: undefined,
    restoredTable: undefined,
    backups: undefined,
    concurrency: undefined,
    edge: undefined,
    alarmAddress: undefined,
    budget: undefined,
    tags: undefined,
  };
  const given = environments.map((each) => ({ ...each, ...absent }));

  expect(Environments.safeParse(given).error).toBeUndefined();
});

test("the tombstone of an erased candidate is kept longer than point-in-time recovery goes back", () => {
  // Amazon DynamoDB developer guide, "Point-in-time recovery".
  expect(TOMBSTONE_DAYS).toBeGreaterThan(35);
});

describe.each([
  ["deliver-webhook", "deliveryConcurrency"],
  ["deliver-aside", "sideConcurrency"],
  ["retry-webhook", "retryConcurrency"],
])("%s", (consumer, setting) => {
  const withBatches = (batches: unknown) =>
    changed(
      changed(environments, [PRODUCTION, "concurrency", "reserved", consumer], 200),
      [PRODUCTION, "webhooks", setting],
      batches,
    );
  const refusal = (batches: number) => [
    expect.stringContaining(`.concurrency.reserved["${consumer}"]: at least ${batches} is expected`),
  ];

  test("reserves an execution for every batch that its queue can invoke it with", () => {
    expect(Environments.safeParse(withBatches({ atMost: 200 })).error).toBeUndefined();
    expect(problemsOf(withBatches({ atMost: 201 }))).toEqual(refusal(201));
  });

  test("reserves ten executions for every provisioned poller that its queue can have", () => {
    expect(
      Environments.safeParse(withBatches({ provisioned: { atLeast: 2, atMost: 20 } })).error,
    ).toBeUndefined();
    expect(problemsOf(withBatches({ provisioned: { atLeast: 2, atMost: 21 } }))).toEqual(refusal(210));
  });
});

describe("the context of a synthesis:", () => {
  const invalid = changed(environments, [PRODUCTION, "sandbox"], true);
  const sandbox = `environments[${PRODUCTION}].sandbox: false is expected in production`;

  test.each([
    [{ urgent: "yes" }, 'context.urgent: "true" or "false" is expected'],
    [{ urgent: true }, 'context.urgent: "true" or "false" is expected'],
    [{ urgnt: "true" }, "context: urgnt is unknown; the most similar name is urgent"],
    [
      { stack: "production" },
      'context.stack: "CandidateService-development" or "CandidateService-production" is expected',
    ],
  ])("%j is refused", (context, problem) => {
    expect(problemsOf(invalid, context)).toEqual([sandbox, problem]);
  });

  test("keys of CDK's own, and those of the app with a valid value, are accepted", () => {
    const context = {
      urgent: "false",
      stack: "CandidateService-production",
      "aws:cdk:bundling-stacks": ["CandidateService-production"],
      "@aws-cdk/core:checkSecretUsage": true,
      "cli-telemetry": false,
      "acknowledged-issue-numbers": [1],
      "availability-zones:account=111122223333:region=eu-west-1": ["eu-west-1a"],
    };
    expect(problemsOf(invalid, context)).toEqual([sandbox]);
  });
});
