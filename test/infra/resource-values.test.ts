import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import type { OperationDefinition } from "#contract/operation-definition";
import { operations } from "#contract/operations";

/*
 * Values that a template could lose or change without any function noticing, until something happens: read a second
 * time, without a look at infra/.
 */

/** Unknown to the compiler: what a template contains is what is tested. */
type Resource = ReturnType<typeof JSON.parse>;

const assembly = inject("assembly");
const read = (file: string) => JSON.parse(readFileSync(join(assembly, file), "utf8"));

function resourcesOf(environment: string) {
  const { Resources } = read(`CandidateService-${environment}.template.json`);
  return (type: string) => Object.entries<Resource>(Resources).filter(([, { Type }]) => Type === type);
}

/** A property of each function, by the function's name. */
function ofFunctions<Value>(environment: string, value: (properties: Resource) => Value) {
  return Object.fromEntries(
    resourcesOf(environment)("AWS::Lambda::Function").map(([, { Properties }]) => [
      Properties.FunctionName.replace(`CandidateService-${environment}-`, ""),
      value(Properties),
    ]),
  );
}

describe.each([
  ["development", { kept: "Delete", replaced: "Delete", logDays: 14 }],
  ["production", { kept: "RetainExceptOnCreate", replaced: "Retain", logDays: 365 }],
])("in the template of %s", (environment, { kept, replaced, logDays }) => {
  const resources = resourcesOf(environment);

  test("each role trusts one service", () => {
    for (const [id, { Properties }] of resources("AWS::IAM::Role")) {
      const [, service = "lambda"] =
        [
          ["CloudWatchRole", "apigateway"],
          ["Backups", "backup"],
          ["GradualDeploymentRole", "codedeploy"],
        ].find(([part = ""]) => id.includes(part)) ?? [];
      expect(Properties.AssumeRolePolicyDocument.Statement, id).toEqual([
        { Action: "sts:AssumeRole", Effect: "Allow", Principal: { Service: `${service}.amazonaws.com` } },
      ]);
    }
  });

  test("functions that look up a candidate's life may read these attributes, and no others", () => {
    const limited = resources("AWS::IAM::Role")
      .flatMap(([, { Properties }]) => Properties.Policies ?? [])
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Condition }) => Condition?.["ForAllValues:StringEquals"])
      .filter(({ Condition }) =>
        Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"].includes("CANDIDATE#*"),
      );

    expect(limited).toHaveLength(7);
    for (const { Action, Condition } of limited) {
      expect([Action].flat()).toEqual(["dynamodb:GetItem"]);
      expect(Condition).toMatchObject({
        "ForAllValues:StringEquals": {
          "dynamodb:Attributes": [
            ...["pk", "sk", "itemVersion", "status", "firstSequence"],
            ...["externalId", "rejections", "content"],
          ],
        },
        StringEqualsIfExists: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
      });
    }
  });

  test("deliveries may go to public addresses only", () => {
    const networks = ofFunctions(
      environment,
      ({ Environment }) => Environment?.Variables["ALLOWED_WEBHOOK_NETWORKS"],
    );
    const allowed = Object.values(networks).filter((each) => each !== undefined);

    expect(new Set(allowed)).toEqual(new Set([""]));
    expect(allowed).toHaveLength(5);
  });

  test.each(["AWS::SecretsManager::Secret", "AWS::Logs::LogGroup", "AWS::SQS::Queue"])(
    "each %s is kept or deleted with the stack",
    (type) => {
      for (const [id, resource] of resources(type)) {
        expect(resource, id).toMatchObject({ DeletionPolicy: kept, UpdateReplacePolicy: replaced });
      }
    },
  );

  test("the key of the alarm topic, which nothing stored needs, is deleted with the stack", () => {
    expect(resources("AWS::KMS::Key").map(([, { DeletionPolicy }]) => DeletionPolicy)).toEqual(["Delete"]);
  });

  test("the account's role for access logs, which other stacks use too, outlives the stack", () => {
    const [role] = resources("AWS::IAM::Role").filter(([id]) => id.includes("CloudWatchRole"));

    expect(resources("AWS::ApiGateway::Account")).toHaveLength(1);
    expect(role?.[1]).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
  });

  test(`logs are kept for ${logDays} days`, () => {
    for (const [id, { Properties }] of resources("AWS::Logs::LogGroup")) {
      expect(Properties.RetentionInDays, id).toBe(logDays);
    }
  });

  test("messages wait for up to 14 days", () => {
    for (const [id, { Properties }] of resources("AWS::SQS::Queue")) {
      expect(Properties.MessageRetentionPeriod, id).toBe(14 * 24 * 60 * 60);
    }
  });

  test("events stay in the feed for 30 days", () => {
    const days = ofFunctions(
      environment,
      ({ Environment }) => Environment?.Variables["EVENT_RETENTION_DAYS"],
    );

    expect(Object.entries(days).filter(([, each]) => each !== undefined)).toEqual(
      [
        ...["publish-events", "recover-events", "list-events", "start-recovery"],
        ...["recover-deliveries", "redrive-dead-letters"],
      ].map((name) => [name, "30"]),
    );
  });

  test("the stream is read from its oldest record, so that a new mapping misses nothing", () => {
    const mappings = resources("AWS::Lambda::EventSourceMapping").filter(([, { Properties }]) =>
      JSON.stringify(Properties.EventSourceArn).includes("StreamArn"),
    );

    expect(
      Object.fromEntries(
        mappings.map(
          ([
            id,
            {
              Properties: { StartingPosition, BatchSize, ParallelizationFactor },
            },
          ]) => [
            id.replace(/(?:Aliaslive)?(Outbox|ExpiredNotices)\w*$/, " $1"),
            { StartingPosition, BatchSize, ParallelizationFactor },
          ],
        ),
      ),
    ).toEqual({
      "PartSweepSweepCandidateParts ExpiredNotices": { StartingPosition: "TRIM_HORIZON", BatchSize: 10 },
      "WebhookDeliveryPublishEvents Outbox": {
        StartingPosition: "TRIM_HORIZON",
        BatchSize: 100,
        ParallelizationFactor: environment === "production" ? 10 : 2,
      },
    });
  });

  test("functions have this memory and time", () => {
    const given = ofFunctions(environment, ({ MemorySize, Timeout }) => `${MemorySize} MB, ${Timeout} s`);
    const groups = Object.groupBy(Object.keys(given), (name) => given[name] ?? "");
    const perOperation = groups["1024 MB, 25 s"]?.length;
    const perCommand = groups["512 MB, 60 s"]?.filter((name) => !/^(publish|sweep)-/.test(name)).length;

    const offered = operations.filter(
      (row: OperationDefinition) => environment !== "production" || !row.sandbox,
    );
    // A batch takes more memory.
    expect(perOperation).toBe(offered.length - 1);
    expect(perCommand).toBe(13);
    expect(given).toMatchObject({
      "authorize-request": "512 MB, 10 s",
      "create-candidate-batch": "1769 MB, 25 s",
      "deliver-aside": "512 MB, 90 s",
      "deliver-webhook": "512 MB, 90 s",
      "get-documentation": "512 MB, 10 s",
      "publish-events": "512 MB, 60 s",
      "recover-events": "1024 MB, 60 s",
      "refuse-method": "256 MB, 10 s",
      "release-deliveries": "1024 MB, 55 s",
      "retry-webhook": "192 MB, 90 s",
      "sweep-candidate-parts": "512 MB, 60 s",
    });
  });

  test("functions that deliver look up host names in 128 threads", () => {
    const threads = ofFunctions(
      environment,
      ({ Environment }) => Environment?.Variables["UV_THREADPOOL_SIZE"],
    );

    expect(Object.entries(threads).filter(([, each]) => each !== undefined)).toEqual(
      ["deliver-webhook", "deliver-aside", "retry-webhook"].map((name) => [name, "128"]),
    );
  });

  test("the documentation's routes have limits of their own, because they need no key", () => {
    const [[, { Properties: stage }] = ["", { Properties: {} }]] = resources("AWS::ApiGateway::Stage");
    const open = stage.MethodSettings.filter(({ ResourcePath }: { ResourcePath: string }) =>
      /^\/(?:$|~1docs|~1openapi|~1llms)/.test(ResourcePath),
    );

    expect(open).toHaveLength(10);
    for (const each of open)
      expect(each).toMatchObject({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 200 });
  });

  test("responses of API Gateway itself have their error's status, and say how to authenticate or when to repeat", () => {
    const responses = resources("AWS::ApiGateway::GatewayResponse").map(([, { Properties }]) => Properties);

    expect(
      Object.fromEntries(responses.map(({ ResponseType, StatusCode }) => [ResponseType, StatusCode])),
    ).toEqual({
      ACCESS_DENIED: "401",
      API_CONFIGURATION_ERROR: "500",
      AUTHORIZER_CONFIGURATION_ERROR: "503",
      AUTHORIZER_FAILURE: "503",
      BAD_REQUEST_BODY: "400",
      BAD_REQUEST_PARAMETERS: "400",
      DEFAULT_4XX: "400",
      DEFAULT_5XX: "500",
      EXPIRED_TOKEN: "401",
      INTEGRATION_FAILURE: "503",
      INTEGRATION_TIMEOUT: "504",
      INVALID_API_KEY: "401",
      INVALID_SIGNATURE: "401",
      MISSING_AUTHENTICATION_TOKEN: "404",
      QUOTA_EXCEEDED: "429",
      REQUEST_TOO_LARGE: "413",
      RESOURCE_NOT_FOUND: "404",
      THROTTLED: "429",
      UNAUTHORIZED: "401",
      UNSUPPORTED_MEDIA_TYPE: "415",
      WAF_FILTERED: "400",
    });
    for (const { ResponseType, ResponseParameters, StatusCode } of responses) {
      const retryAfter = ResponseParameters["gatewayresponse.header.Retry-After"];
      expect(retryAfter, ResponseType).toBe(["429", "503"].includes(StatusCode) ? "'1'" : undefined);
      const scheme = ResponseParameters["gatewayresponse.header.WWW-Authenticate"];
      expect(scheme, ResponseType).toBe(
        StatusCode === "401" ? `'ApiKey realm="candidates", header="X-API-Key"'` : undefined,
      );
    }
  });
});

test("a changed authorizer is deployed: without this flag CDK makes no new deployment for it", () => {
  const { context } = JSON.parse(readFileSync("cdk.json", "utf8"));

  expect(context["@aws-cdk/aws-apigateway:authorizerChangeDeploymentLogicalId"]).toBe(true);
});

describe("in production", () => {
  const resources = resourcesOf("production");

  test("only the stack of production is protected from deletion", () => {
    const { artifacts } = read("manifest.json");

    expect(artifacts["CandidateService-production"].properties.terminationProtection).toBe(true);
    expect(artifacts["CandidateService-development"].properties.terminationProtection).toBe(false);
  });

  test("backups are made every day and every month", () => {
    const [[, { Properties: plan }] = ["", { Properties: {} }]] = resources("AWS::Backup::BackupPlan");
    const rules: { readonly RuleName: string; readonly ScheduleExpression: string }[] =
      plan.BackupPlan.BackupPlanRule;

    expect(rules.map(({ RuleName, ScheduleExpression }) => [RuleName, ScheduleExpression])).toEqual([
      ["Daily", "cron(0 3 * * ? *)"],
      ["Monthly", "cron(0 4 1 * ? *)"],
    ]);
  });

  test("these executions are reserved", () => {
    const reserved = ofFunctions("production", ({ ReservedConcurrentExecutions: each }) => each);

    expect(Object.fromEntries(Object.entries(reserved).filter(([, each]) => each !== undefined))).toEqual({
      "authorize-request": 100,
      "create-candidate": 300,
      "create-candidate-batch": 50,
      "deliver-aside": 30,
      "deliver-webhook": 100,
      "publish-events": 100,
      "refuse-method": 10,
      "release-deliveries": 1,
      "retry-webhook": 100,
      "revoke-api-key": 1,
    });
  });

  test("a canary also stops if the API fails", () => {
    const [serverErrors] = resources("AWS::CloudWatch::Alarm").filter(([id]) => id.includes("ServerErrors"));

    for (const [id, { Properties }] of resources("AWS::CodeDeploy::DeploymentGroup")) {
      expect(Properties.AlarmConfiguration.Alarms, id).toContainEqual({ Name: { Ref: serverErrors?.[0] } });
    }
  });
});
