import { readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { templatesIn } from "./synthesised.ts";

const [, production] = templatesIn(inject("assembly"));

test("production's stack has each resource that the runbook's commands look up exactly once", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const named = (pattern: RegExp) => [...runbook.matchAll(pattern)].map(([, name = ""]) => name);
  const { Resources, Outputs } = production[1].toJSON();
  // A command that lists several resources passes them on, one a line.
  const types = named(/ResourceType=='([\w:]+)'\](?!\.PhysicalResourceId" --output text \| tr )/g);
  for (const type of types) production[1].resourceCountIs(type, 1);
  for (const prefix of named(/\?starts_with\(LogicalResourceId,'(\w+)'\)/g)) {
    expect(Object.keys(Resources).filter((id) => id.startsWith(prefix))).toHaveLength(1);
  }
  for (const prefix of named(
    /ResourceType=='AWS::SQS::Queue' && starts_with\(LogicalResourceId,'(\w+)'\)/g,
  )) {
    const queues = Object.keys(production[1].findResources("AWS::SQS::Queue"));
    expect(queues.filter((id) => id.startsWith(prefix))).toHaveLength(1);
  }
  for (const prefix of named(/starts_with\(OutputKey,'(\w+)'\)/g)) {
    expect(Object.keys(Outputs).filter((id) => id.startsWith(prefix))).toHaveLength(1);
  }
});

test("the restore in the runbook stops every method but the documentation's, then restores the template's limits", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const [stage] = Object.values(production[1].findResources("AWS::ApiGateway::Stage"));
  const settings = stage?.["Properties"].MethodSettings as {
    readonly ResourcePath: string;
    readonly HttpMethod: string;
    readonly ThrottlingRateLimit: number;
    readonly ThrottlingBurstLimit: number;
  }[];
  const limits = settings
    .filter(({ ResourcePath }) => !/^\/($|~1docs|~1openapi|~1llms)/.test(ResourcePath))
    .flatMap(({ ResourcePath, HttpMethod, ThrottlingRateLimit, ThrottlingBurstLimit }) => [
      [`${ResourcePath}/${HttpMethod}/throttling/rateLimit`, String(ThrottlingRateLimit)] as const,
      [`${ResourcePath}/${HttpMethod}/throttling/burstLimit`, String(ThrottlingBurstLimit)] as const,
    ]);

  const patched = runbook
    .split("\n")
    .filter((line) => line.includes("apigateway update-stage") && line.includes("/throttling/"))
    .map((line) =>
      Object.fromEntries(
        [...line.matchAll(/'op=replace,path=(\S+),value=(\d+)'/g)].map(([, path, value]) => [path, value]),
      ),
    );

  expect(limits.length).toBeGreaterThan(2);
  expect(patched).toEqual([
    Object.fromEntries(limits.map(([path]) => [path, "0"])),
    Object.fromEntries(limits),
  ]);
});

test("the restore in the runbook gives a table every setting of the template that a backup does not restore", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const [table] = Object.values(production[1].findResources("AWS::DynamoDB::Table"));

  // Amazon DynamoDB API, RestoreTableToPointInTime; AWS Backup developer guide, "Restore a Amazon DynamoDB table".
  expect(table?.["Properties"]).toMatchObject({
    StreamSpecification: { StreamViewType: "NEW_IMAGE" },
    TimeToLiveSpecification: { AttributeName: "deleteAfter", Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: true,
    SSESpecification: { SSEEnabled: true },
  });
  for (const setting of [
    "--stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE",
    "--time-to-live-specification Enabled=true,AttributeName=deleteAfter",
    "--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true",
    "--table-name $RESTORED --deletion-protection-enabled",
    "--sse-specification Enabled=true",
    // CloudFormation adds the stack's tags when it creates the table.
    "aws dynamodb tag-resource",
  ]) {
    expect(runbook).toContain(setting);
  }
});

// Amazon DynamoDB developer guide, "Understanding DynamoDB warm throughput": it grows with a table's use.
test("the restore in the runbook compares the throughput of both tables before callers repeat refused requests", () => {
  const restore = readFileSync("docs/operations.md", "utf8").split("\n## Restore\n")[1] ?? "";
  const comparison = restore.indexOf(
    "for each in $TABLE $RESTORED; do aws dynamodb describe-table --table-name $each --query Table.WarmThroughput;",
  );

  expect(comparison).toBeGreaterThan(restore.indexOf("**All candidates: prepare the table.**"));
  expect(comparison).toBeLessThan(restore.indexOf("**Stop requests.**"));
});

test("the restore in the runbook redrives failed batches before the swap replaces the stream", () => {
  const restore = readFileSync("docs/operations.md", "utf8").split("\n## Restore\n")[1] ?? "";
  const redrive = restore.indexOf("dead-letters redrive");
  expect(redrive).toBeGreaterThan(restore.indexOf("**Stop requests.**"));
  expect(redrive).toBeLessThan(restore.indexOf("--import-existing-resources"));
});

test("the runbook waits for messages that it prints, because without a wait SQS may find none that are there", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const receives = runbook.split("\n").filter((line) => line.startsWith("aws sqs receive-message"));

  expect(receives).not.toEqual([]);
  expect(receives.filter((line) => !line.includes("--wait-time-seconds 20"))).toEqual([]);
});

test("the runbook finds event sources in any account: those of self-managed Kafka have no ARN, which contains() refuses", () => {
  const runbook = readFileSync("docs/operations.md", "utf8");
  const lookups = [...runbook.matchAll(/(\S+ \S+ )?contains\(EventSourceArn,/g)];

  expect(lookups).not.toEqual([]);
  for (const [lookup] of lookups) expect(lookup).toMatch(/[?]EventSourceArn && contains\(EventSourceArn,$/);
});

// Amazon SNS API, ConfirmSubscription: otherwise Unsubscribe needs no credentials, so a mail filter may follow it.
test("the runbook confirms the subscription to alarms so that only the account can end it", () => {
  const confirmations = readFileSync("docs/operations.md", "utf8").match(/aws sns confirm-subscription .*/g);

  expect(confirmations).not.toBeNull();
  for (const command of confirmations ?? []) expect(command).toContain("--authenticate-on-unsubscribe true");
});
