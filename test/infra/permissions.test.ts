import { isDeepStrictEqual } from "node:util";
import { isWildcardOnlyAction } from "@cloud-copilot/iam-simulate";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, expectTypeOf, inject, test } from "vitest";
import type { OperationId } from "#contract/operations";
import type { operationGrants } from "../../infra/operation-grants.ts";
import { permissionsIn } from "./permissions.ts";
import { resourcesIn, templatesIn } from "./synthesised.ts";

const ITEM_ACTIONS = new Set(
  ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "BatchGetItem"].map(
    (action) => `dynamodb:${action}`,
  ),
);

interface Statement {
  readonly Effect: string;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/** Everybody, in the forms in which CDK writes it for queues and topics. */
const EVERYBODY = [{ AWS: "*" }, "*"];

function refusesWithoutTls({ Effect, Principal, Condition }: Statement): boolean {
  const everybody = EVERYBODY.some((each) => isDeepStrictEqual(Principal, each));
  const withoutTls = isDeepStrictEqual(Condition, { Bool: { "aws:SecureTransport": "false" } });
  return Effect === "Deny" && everybody && withoutTls;
}

const [development, production] = templatesIn(inject("assembly"));

describe.each([development, production])("the permissions in %s", (_name, template) => {
  const resources = resourcesIn(template);

  test("allows functions to be invoked only through the API, by IAM or by the stack's own schedule", () => {
    template.resourceCountIs("AWS::Lambda::Url", 0);
    const sources: Readonly<Record<string, RegExp>> = {
      "apigateway.amazonaws.com": /execute-api/,
      "events.amazonaws.com": /^\{"Fn::GetAtt":\["WebhookDeliveryEveryMinute\w+","Arn"\]\}$/,
    };
    for (const [id, { Properties }] of resources("AWS::Lambda::Permission")) {
      const source = sources[String(Properties["Principal"])];
      expect(source, id).toBeDefined();
      expect(JSON.stringify(Properties["SourceArn"]), id).toMatch(source ?? "");
      // The API's console invokes functions without an authorizer.
      expect(JSON.stringify(Properties["SourceArn"]), id).not.toContain("test-invoke-stage");
    }
  });

  test("allows alarms to publish to their topic and use its key", () => {
    const byAlarms = (actions: unknown) =>
      Match.arrayWith([
        Match.objectLike({
          Effect: "Allow",
          Principal: { Service: "cloudwatch.amazonaws.com" },
          Action: actions,
          Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
        }),
      ]);
    template.hasResourceProperties("AWS::SNS::TopicPolicy", {
      PolicyDocument: { Statement: byAlarms("sns:Publish") },
    });
    template.hasResourceProperties("AWS::KMS::Key", {
      EnableKeyRotation: true,
      KeyPolicy: { Statement: byAlarms(["kms:Decrypt", "kms:GenerateDataKey*"]) },
    });
  });

  test.each([
    ["AWS::SQS::Queue", "AWS::SQS::QueuePolicy", "Queues"],
    ["AWS::SNS::Topic", "AWS::SNS::TopicPolicy", "Topics"],
  ])("refuses requests without TLS to each %s", (type, policyType, member) => {
    const protectedIds = resources(policyType).flatMap(([, { Properties }]) => {
      const { Statement } = Properties["PolicyDocument"] as { Statement: Statement[] };
      const refuses = Statement.some(refusesWithoutTls);
      return refuses ? (Properties[member] as { Ref: string }[]).map(({ Ref }) => Ref) : [];
    });

    expect(protectedIds.toSorted()).toEqual(
      resources(type)
        .map(([id]) => id)
        .toSorted(),
    );
  });

  test("has all permissions inside roles, each far below IAM's limit of 10,240 characters", () => {
    for (const beside of ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"]) {
      template.resourceCountIs(beside, 0);
    }
    for (const [id, statements] of permissionsIn(template)) {
      // CDK divides only policies beside roles. An ARN may be longer than the reference that stands for it here.
      expect(JSON.stringify(statements).length, id).toBeLessThan(5_000);
    }
  });

  test("allows recover-events to change an endpoint and a recovery in one transaction by one statement", () => {
    const updating = permissionsIn(template)
      .filter(([id]) => id.includes("RecoverEventsRole"))
      .flatMap(([, statements]) => statements)
      .filter(({ Action }) => [Action].flat().includes("dynamodb:UpdateItem"));
    expect(updating.map(({ Condition }) => Condition)).toEqual([
      { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["ENDPOINT#*", "ENDPOINTS#*"] } },
    ]);
  });

  test("grants no role wildcards, and requests of items only by their kinds", async () => {
    const permissions = permissionsIn(template);
    expect(permissions.flatMap(([, statements]) => statements).length).toBeGreaterThan(0);
    for (const [id, statements] of permissions) {
      for (const { Action, Resource, Condition } of statements) {
        const actions = [Action].flat();
        expect(actions.join(), id).not.toContain("*");
        if ([Resource].flat().includes("*")) {
          for (const action of actions) {
            const [service = "", operation = ""] = action.split(":");
            expect(await isWildcardOnlyAction(service, operation), `${id}: ${action}`).toBe(true);
          }
        }
        if (
          actions.some((action) => ITEM_ACTIONS.has(action)) &&
          !JSON.stringify(Resource).includes("/index/")
        ) {
          const { "dynamodb:LeadingKeys": kinds } = Condition?.["ForAllValues:StringLike"] ?? {};
          expect(kinds?.length, id).toBeGreaterThan(0);
          for (const kind of kinds ?? []) expect(kind, id).toMatch(/^[A-Z_]+#\*$/);
        }
      }
    }
  });

  test("lets the authorizer change nothing of a key but the time of its last use", () => {
    const changing = permissionsIn(template)
      .filter(([id]) => id.includes("AuthorizeRequestRole"))
      .flatMap(([, statements]) => statements)
      .filter(({ Action }) => [Action].flat().some((action) => /:(?:Put|Update|Delete|Batch)/.test(action)))
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith("dynamodb:")));
    expect(changing).toMatchObject([
      {
        Action: "dynamodb:UpdateItem",
        Condition: {
          "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["KEY#*"] },
          "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "lastUsedAt"] },
          StringEqualsIfExists: { "dynamodb:ReturnValues": "NONE" },
        },
      },
    ]);
  });

  test("lets only the functions that need it access an organisation's own item", () => {
    const accessing = permissionsIn(template).filter(([, statements]) =>
      JSON.stringify(statements).includes('"ORGANISATION#*"'),
    );

    expect(accessing.map(([id]) => id.replace(/Role[0-9A-F]{8}$/, "")).toSorted()).toEqual([
      "PlatformFunctionsInspectCandidate",
      "PlatformFunctionsIssueApiKey",
    ]);
  });

  test("passes to each function invoked by callers every table, queue and secret that it may use", () => {
    const called = resources("AWS::Lambda::Function").filter(([id]) =>
      /^(?:CandidatesApi|PlatformFunctions)/.test(id),
    );
    expect(called.length).toBeGreaterThan(0);
    const permissions = new Map(permissionsIn(template));
    for (const [id, { Properties }] of called) {
      const { "Fn::GetAtt": role } = Properties["Role"] as { "Fn::GetAtt": [string, string] };
      const statements = permissions.get(role[0]);
      expect(statements?.length, id).toBeGreaterThan(0);
      const used = ["AWS::DynamoDB::Table", "AWS::SQS::Queue", "AWS::SecretsManager::Secret"]
        .flatMap((type) => Object.keys(template.findResources(type)))
        .filter((resource) => JSON.stringify(statements).includes(`"${resource}"`));
      for (const resource of used) {
        expect(JSON.stringify(Properties["Environment"]), id).toContain(`"${resource}"`);
      }
    }
  });
});

test("every function but the sandbox's has the same permissions in production as in development", () => {
  const [inDevelopment, inProduction] = [development, production].map(([, template]) => {
    const roles = Object.values(template.findResources("AWS::Lambda::Function")).map(
      ({ Properties }) => Properties["Role"]["Fn::GetAtt"][0],
    );
    return Object.entries(template.findResources("AWS::IAM::Role"))
      .filter(([id]) => roles.includes(id) && !id.includes("Sandbox"))
      .map(([id, { Properties }]) => [id, Properties]);
  });
  expect(inProduction).not.toEqual([]);
  expect(inProduction).toEqual(inDevelopment);
});

test("exactly the operations have grants", () => {
  expectTypeOf<keyof ReturnType<typeof operationGrants>>().toEqualTypeOf<OperationId>();
});
