import { globSync, readFileSync } from "node:fs";
import { basename, posix } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { environments } from "../../infra/environments.ts";
import { readTables, type TableDefinition } from "../../local/dynamodb/tables.ts";
import { Template as ReadTemplate } from "../../local/template.ts";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { resourcesIn, templatesIn } from "./synthesised.ts";

const [development, production] = templatesIn(inject("assembly"));

describe.each([development, production])("the template of %s", (name, template) => {
  const resources = resourcesIn(template);

  test("encrypts the table, and enables point-in-time recovery and its stream", () => {
    template.hasResourceProperties("AWS::DynamoDB::Table", {
      SSESpecification: { SSEEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      BillingMode: "PAY_PER_REQUEST",
    });
  });

  test("defines the same table as the simulation", () => {
    const [table] = readTables(
      new ReadTemplate(template.toJSON(), { stackName: "Stack", queuesEndpoint: "http://127.0.0.1:1" }),
    );
    const byName = (one: TableDefinition | undefined) => ({
      ...one,
      name: serviceTable.name,
      attributes: one?.attributes.toSorted((left, right) =>
        String(left.AttributeName).localeCompare(String(right.AttributeName)),
      ),
    });

    expect(byName(table)).toEqual(byName(serviceTable));
  });

  test("generates the keyring as before: with another template CloudFormation would replace it, and lose all sealed secrets", () => {
    const keyrings = resources("AWS::SecretsManager::Secret").map(([, { Properties }]) => Properties);
    expect(keyrings).toMatchObject([{ Description: expect.stringContaining("seal") }]);
    expect(keyrings.map(({ GenerateSecretString }) => GenerateSecretString)).toEqual([
      {
        SecretStringTemplate: '{"current":"1"}',
        GenerateStringKey: "1",
        PasswordLength: 64,
        ExcludePunctuation: true,
      },
    ]);
  });

  test("encrypts the table, the queues and the alarm topic at rest", () => {
    for (const [id, { Properties }] of resources("AWS::SQS::Queue")) {
      expect(Properties["SqsManagedSseEnabled"], id).toBe(true);
    }
    for (const [id, { Properties }] of resources("AWS::SNS::Topic")) {
      expect(Properties["KmsMasterKeyId"], id).toBeDefined();
    }
  });

  test("has no circular dependency through update policies", () => {
    const all = template.toJSON()["Resources"] as Record<string, unknown>;
    const waiting = new Map(
      Object.entries(all).map(([id, resource]) => {
        const words = new Set(JSON.stringify(resource).match(/\w+/g));
        return [id, Object.keys(all).filter((other) => other !== id && words.has(other))];
      }),
    );
    for (let before = Number.POSITIVE_INFINITY; waiting.size < before; ) {
      before = waiting.size;
      for (const [id, named] of waiting) {
        if (!named.some((other) => waiting.has(other))) waiting.delete(id);
      }
    }
    expect([...waiting.keys()]).toEqual([]);
  });

  test("creates at most ten functions at once, and lets no alias wait for another function's", () => {
    const ids = resources("AWS::Lambda::Function").map(([id]) => id);
    const waitsFor = (id: string) => {
      const { DependsOn = [] } = template.toJSON()["Resources"][id] as { DependsOn?: string | string[] };
      return [DependsOn].flat();
    };
    const finished = new Set<string>();
    while (finished.size < ids.length) {
      const ready = ids.filter(
        (id) =>
          !finished.has(id) && waitsFor(id).every((other) => !ids.includes(other) || finished.has(other)),
      );
      // None would be a circular dependency.
      expect(ready.length).toBeGreaterThan(0);
      expect(ready.length).toBeLessThanOrEqual(10);
      for (const id of ready) finished.add(id);
    }
    for (const alias of Object.keys(template.findResources("AWS::Lambda::Alias"))) {
      expect(waitsFor(alias), alias).toEqual([]);
    }
  });

  test("is well below CloudFormation's limit of 500 resources", () => {
    const { length } = Object.keys(template.toJSON()["Resources"]);
    // An operation adds thirteen. Seventy are left for the time that the remedy takes.
    const remedy =
      "Deploy rarely called functions at once (RARELY_CALLED in infra/candidates-api.ts): five resources less for each. Or make a second stack, for example of the platform's functions";
    expect(length, remedy).toBeLessThan(430);
  });

  test("runs every function on Node.js 24 and ARM with its own role and log group", () => {
    const functions = resources("AWS::Lambda::Function");
    for (const [id, { Properties }] of functions) {
      expect(Properties, id).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
      expect(Properties["LoggingConfig"], id).toMatchObject({ LogFormat: "JSON" });
    }
    const roles = functions.map(([, { Properties }]) => JSON.stringify(Properties["Role"]));
    expect(new Set(roles).size).toBe(functions.length);
  });

  test("logs no lines of Lambda's own for successful invocations of functions that run for each event", () => {
    const quiet = template.findResources("AWS::Lambda::Function", {
      Properties: { LoggingConfig: { SystemLogLevel: "WARN" } },
    });
    const names = Object.values(quiet).map(({ Properties }) =>
      Properties.FunctionName.replace(`${name}-`, ""),
    );
    expect(names.sort()).toEqual(["deliver-aside", "deliver-webhook", "publish-events", "retry-webhook"]);
  });
});

test("deleting the stack keeps production's table, and deletes development's", () => {
  production[1].hasResource("AWS::DynamoDB::Table", {
    DeletionPolicy: "Retain",
    Properties: { DeletionProtectionEnabled: true },
  });
  development[1].hasResource("AWS::DynamoDB::Table", {
    DeletionPolicy: "Delete",
    Properties: { DeletionProtectionEnabled: false },
  });
});

test("the environments share no resource name, so that one account can contain both", () => {
  const names = [development, production].map(([, template]) =>
    Object.values(template.findResources("AWS::Lambda::Function")).map(
      (resource) => (resource as { Properties: { FunctionName: string } }).Properties.FunctionName,
    ),
  );
  expect(new Set(names.flat()).size).toBe(names.flat().length);
});

test("development deploys at once, has no reserved concurrency and no backups", () => {
  const template = development[1];
  template.resourceCountIs("AWS::Lambda::Alias", 0);
  template.resourceCountIs("AWS::CodeDeploy::DeploymentGroup", 0);
  template.resourceCountIs("AWS::Backup::BackupPlan", 0);
  expect(JSON.stringify(template.toJSON())).not.toContain("ReservedConcurrentExecutions");
});

test("development deploys every function that the code has, and production all but the sandbox's", () => {
  const sandbox = ["apply-sandbox-transition"];
  const files = globSync("functions/*/*.ts").map((file) => basename(file, ".ts"));

  expect(functionsIn(development), "each file of functions/ is deployed in infra/").toEqual(files.sort());
  expect(functionsIn(production)).toEqual(files.filter((name) => !sandbox.includes(name)));
});

/** The names of a stack's functions, without the stack's own. */
function functionsIn([stackName, template]: typeof development): string[] {
  return resourcesIn(template)("AWS::Lambda::Function")
    .map(([, { Properties }]) => String(Properties["FunctionName"]).replace(`${stackName}-`, ""))
    .sort();
}

test("each stack is tagged with its service and environment", () => {
  const { artifacts } = JSON.parse(readFileSync(posix.join(inject("assembly"), "manifest.json"), "utf8"));

  for (const { name: environment } of environments) {
    expect(artifacts[`CandidateService-${environment}`].properties.tags).toEqual({
      service: "candidate-service",
      environment,
    });
  }
});
