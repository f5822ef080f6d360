import { readFileSync } from "node:fs";
import { Match, type Template } from "aws-cdk-lib/assertions";
import fc from "fast-check";
import { describe, expect, inject, test, vi } from "vitest";
import { amendmentCases, anySubmission, submissionCases } from "../../contract/cases.ts";
import { fires, type MathAlarm, mathAlarms } from "../alarms.ts";
import { settingsOf, templateOf } from "../stacks.ts";
import { templatesIn } from "../synthesised.ts";
import { MANAGED_RULES, rulesMatching } from "./managed-rules.ts";
import { countedRules } from "./web-acl.ts";

// What the functions are made of is not tested here: to bundle it for each synthesis takes seconds.
vi.mock("../../../infra/bundles.ts", () => ({ bundleOf: () => "functions" }));

const development = settingsOf("development");
const { edge } = settingsOf("production");
if (!edge) throw new Error("Production has no web ACL: set its `edge` in infra/environments.ts.");
const [[, developmentTemplate], [, template]] = templatesIn(inject("assembly"));
const counted = countedRules(template);

describe.each(Object.entries(MANAGED_RULES))("the managed rule group %s", (group, rules) => {
  test("has overrides only for rules that AWS lists", () => {
    const names = rules.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...(counted.get(group) ?? ["the group is not there"])]));
  });

  test.each(rules.map(({ name, example }) => [name, example] as const))(
    "blocks by %s only requests that the contract does not allow",
    (name, example) => {
      const judges = rulesMatching(example);
      if (group !== "AWSManagedRulesAmazonIpReputationList") expect(judges).toContain(name);
      const isLeftToCallers = /_(?:BODY|URIPATH|QUERYARGUMENTS|QUERYSTRING)$|^NoUserAgent_HEADER$/.test(name);
      const isTheirOwnCount = name === "AWSManagedIPDDoSList";
      expect(counted.get(group)?.includes(name)).toBe(isLeftToCallers || isTheirOwnCount);
    },
  );
});

describe("the web ACL allows", () => {
  const passes = (request: Parameters<typeof rulesMatching>[0]) => {
    const blocking = rulesMatching(request).filter((rule) => ![...counted.values()].flat().includes(rule));
    expect(blocking, JSON.stringify(request).slice(0, 500)).toEqual([]);
  };
  const request = { method: "GET", path: "/v1/candidates", headers: {}, query: {}, body: "" };

  test("a create and an amend at every accepted bound, without a User-Agent", () => {
    for (const { body } of [...submissionCases(), ...amendmentCases()].filter(({ accepted }) => accepted)) {
      passes({ ...request, method: "POST", body: JSON.stringify(body) });
    }
  });

  test("any valid submission", () => {
    fc.assert(
      fc.property(anySubmission, (body) =>
        passes({ ...request, method: "POST", body: JSON.stringify(body) }),
      ),
    );
  });

  test.each([
    "a/../b",
    "x.bak",
    "<script>",
    `\${jndi:ldap://example.com/}`,
    "http://169.254.169.254/",
    "\u{1F600}".repeat(128),
  ])("an externalId of %s, in a body, a query and a path", (externalId) => {
    passes({ ...request, method: "POST", body: JSON.stringify({ externalId }) });
    passes({ ...request, query: { externalId: [externalId] } });
    passes({ ...request, path: `/v1/candidates/${externalId}` });
  });
});

describe.each(["missing is zero", "missing is contagious"] as const)("if %s, an alarm", (missingPoints) => {
  const alarm = mathAlarms(template).find(({ id }) => id.startsWith("ObservabilityRequestsBlocked"));
  const all = (value: number) => Array<number>(3).fill(value);
  const firesFor = (given: Parameters<typeof fires>[1]) => fires(alarm as MathAlarm, given, missingPoints);

  test("fires if the web ACL blocks most of many requests, or all of them", () => {
    expect(firesFor({ blocked: all(51), allowed: all(49) })).toBe(true);
    expect(firesFor({ blocked: all(100) })).toBe(true);
  });

  test("does not fire if the web ACL blocks half of them, few, none, or most in one period only", () => {
    expect(firesFor({ blocked: all(50), allowed: all(50) })).toBe(false);
    expect(firesFor({ blocked: all(99) })).toBe(false);
    expect(firesFor({ allowed: all(1_000) })).toBe(false);
    expect(firesFor({ blocked: [900, 0, 0], allowed: all(100) })).toBe(false);
  });
});

test("the alarm on blocked requests measures all rules of this web ACL", () => {
  const [webAcl] = Object.values(template.findResources("AWS::WAFv2::WebACL"));
  const { queries } = mathAlarms(template).find(({ id }) => id.includes("RequestsBlocked")) as MathAlarm;

  const measured = queries.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
  expect(measured.map(({ MetricName }) => MetricName)).toEqual(["BlockedRequests", "AllowedRequests"]);
  for (const { Namespace, Dimensions } of measured) {
    expect(Namespace).toBe("AWS/WAFV2");
    expect(Dimensions).toEqual([
      { Name: "Region", Value: { Ref: "AWS::Region" } },
      { Name: "Rule", Value: "ALL" },
      { Name: "WebACL", Value: webAcl?.["Properties"].VisibilityConfig.MetricName },
    ]);
  }
});

/** The resources of the web ACL, with the names that differ between the environments left out. */
function aclOf(from: Template) {
  const types = ["WebACL", "WebACLAssociation", "LoggingConfiguration"];
  const resources = types.map((type) => from.findResources(`AWS::WAFv2::${type}`));
  expect(resources.map((found) => Object.keys(found).length)).toEqual([1, 1, 1]);
  return JSON.parse(
    JSON.stringify(resources)
      .replaceAll(/"CandidatesApiRestApi\w+"/g, '"stage"')
      .replaceAll(/CandidateService-\w+/g, "stack"),
  );
}

describe("production's web ACL", () => {
  const [{ Properties: acl } = { Properties: {} }] = Object.values(
    template.findResources("AWS::WAFv2::WebACL"),
  );
  const [limitPerKey, limitPerAddress, ...managed] = acl.Rules;

  test("has its rules in this order, and admits what none of them blocks", () => {
    expect(acl).toMatchObject({
      // The scope of APIs; the other one is that of CloudFront.
      Scope: "REGIONAL",
      DefaultAction: { Allow: {} },
      Rules: [
        { Name: "RatePerKey", Priority: 0 },
        { Name: "RatePerAddress", Priority: 1 },
        { Name: "AWSManagedRulesAmazonIpReputationList", Priority: 2 },
        { Name: "AWSManagedRulesKnownBadInputsRuleSet", Priority: 3 },
        { Name: "AWSManagedRulesCommonRuleSet", Priority: 4 },
      ],
    });
  });

  test("protects the API's stage", () => {
    const [stage] = Object.keys(template.findResources("AWS::ApiGateway::Stage"));
    const associations = Object.values(template.findResources("AWS::WAFv2::WebACLAssociation"));

    expect(associations).toHaveLength(1);
    expect(JSON.stringify(associations[0]?.["Properties"].ResourceArn)).toContain(`{"Ref":"${stage}"}`);
  });

  test("limits the requests of a key and of an address, and responds to others with the envelope", () => {
    const window = { Limit: 60_000, EvaluationWindowSec: 300 };
    expect(limitPerKey.Statement.RateBasedStatement).toMatchObject({
      ...window,
      AggregateKeyType: "CUSTOM_KEYS",
      CustomKeys: [{ Header: { Name: "x-api-key" } }],
    });
    expect(limitPerAddress.Statement.RateBasedStatement).toEqual({ ...window, AggregateKeyType: "IP" });
    for (const { Action } of [limitPerKey, limitPerAddress]) {
      const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = Action.Block.CustomResponse;
      const { ContentType, Content } = acl.CustomResponseBodies[CustomResponseBodyKey];
      expect([ResponseCode, ContentType]).toEqual([429, "APPLICATION_JSON"]);
      expect(JSON.parse(Content)).toEqual({
        error: "rate_limited",
        message: expect.stringMatching(/ Retry-After\.$/),
      });
      expect(ResponseHeaders).toContainEqual({ Name: "Retry-After", Value: "300" });
      expect(ResponseHeaders).toContainEqual({ Name: "Cache-Control", Value: "no-store" });
      expect(ResponseHeaders).toContainEqual({ Name: "X-Content-Type-Options", Value: "nosniff" });
    }
  });

  test("and the stage ask callers to wait as long as the guide to limits says", () => {
    const guide = readFileSync("docs/guides/limits.md", "utf8");
    const [, ofOperation, ofKey] = /Retry-After` header: (\d+) second.*?, (\d+) seconds/.exec(guide) ?? [];

    template.hasResourceProperties("AWS::ApiGateway::GatewayResponse", {
      ResponseType: "THROTTLED",
      ResponseParameters: Match.objectLike({ "gatewayresponse.header.Retry-After": `'${ofOperation}'` }),
    });
    for (const { Action } of [limitPerKey, limitPerAddress]) {
      const { ResponseHeaders } = Action.Block.CustomResponse;
      expect(ResponseHeaders).toContainEqual({ Name: "Retry-After", Value: ofKey });
    }
  });

  test("has a message for callers whom a managed group blocks, with the reason and what to report", () => {
    const [blocked] = Object.values(
      template.findResources("AWS::ApiGateway::GatewayResponse", {
        Properties: { ResponseType: "WAF_FILTERED" },
      }),
    );

    expect(JSON.parse(blocked?.["Properties"].ResponseTemplates["application/json"])).toEqual({
      error: "invalid_request",
      message: expect.stringMatching(/^The firewall blocked .* IP address, .* report the X-Request-Id\.$/),
    });
  });

  test("overrides no managed group as a whole, and pins no version: AWS's default version applies", () => {
    expect(managed).toHaveLength(3);
    for (const { OverrideAction, Statement } of managed) {
      expect(OverrideAction).toEqual({ None: {} });
      expect(Statement.ManagedRuleGroupStatement).toMatchObject({ VendorName: "AWS" });
      expect(Statement.ManagedRuleGroupStatement).not.toHaveProperty("Version");
    }
  });

  test("is measured under a name of its own, as is each rule, and stores no samples", () => {
    // One account may contain a web ACL of each environment.
    expect(acl.VisibilityConfig.MetricName).toBe("CandidateService-production");
    for (const { Name, VisibilityConfig } of acl.Rules) expect(VisibilityConfig.MetricName).toBe(Name);
    for (const { VisibilityConfig } of [acl, ...acl.Rules]) {
      expect(VisibilityConfig).toMatchObject({
        CloudWatchMetricsEnabled: true,
        SampledRequestsEnabled: false,
      });
    }
  });
});

test("a key and an address each have the limit of their setting", () => {
  const protectedStage = templateOf({ ...development, edge: { perKey: 100, perAddress: 200 } });
  const rule = (Name: string, Limit: number) =>
    Match.objectLike({ Name, Statement: { RateBasedStatement: Match.objectLike({ Limit }) } });

  protectedStage.hasResourceProperties("AWS::WAFv2::WebACL", {
    Rules: Match.arrayWith([rule("RatePerKey", 100), rule("RatePerAddress", 200)]),
  });
});

test("development has no web ACL by default, and production's if the setting is on", () => {
  developmentTemplate.resourceCountIs("AWS::WAFv2::WebACL", 0);
  expect(aclOf(templateOf({ ...development, edge }))).toEqual(aclOf(template));
});

describe("the log of the web ACL", () => {
  const [webAcl] = Object.values(template.findResources("AWS::WAFv2::WebACL"));
  const [logging] = Object.values(template.findResources("AWS::WAFv2::LoggingConfiguration"));

  test("has its own log group, named as AWS WAF requires, with an expiry, retained with the stack deleted", () => {
    template.hasResource("AWS::Logs::LogGroup", {
      DeletionPolicy: "RetainExceptOnCreate",
      Properties: { LogGroupName: "aws-waf-logs-CandidateService-production", RetentionInDays: 365 },
    });
    const [destination] = logging?.["Properties"].LogDestinationConfigs ?? [];
    const [separator, parts] = destination["Fn::Join"] as [string, unknown[]];
    const arn = parts.map((part) => (typeof part === "string" ? part : "x")).join(separator);
    expect(arn).toBe("arn:x:logs:x:x:log-group:x");
    expect(JSON.stringify(parts)).toMatch(/"Ref":"EdgeProtectionLog\w+"/);
  });

  test("contains no API key, query or path, which may identify a person", () => {
    expect(logging?.["Properties"].RedactedFields).toEqual([
      { SingleHeader: { Name: "x-api-key" } },
      { QueryString: {} },
      { UriPath: {} },
    ]);
  });

  test("contains neither the API key in a rate rule's key nor the text that a rule matched", () => {
    const protections = webAcl?.["Properties"].DataProtectionConfig.DataProtections as {
      Field: { FieldType: string; FieldKeys?: string[] };
    }[];
    expect(protections.map(({ Field }) => Field.FieldType)).toEqual([
      "SINGLE_HEADER",
      "QUERY_STRING",
      "BODY",
    ]);
    expect(protections[0]?.Field.FieldKeys).toEqual(["x-api-key", "authorization", "cookie"]);
    // With either member the value would be shown there after all.
    for (const protection of protections) {
      expect(Object.keys(protection).sort()).toEqual(["Action", "Field"]);
      expect(protection).toMatchObject({ Action: "SUBSTITUTION" });
    }
  });

  test("contains blocked and counted requests, and none that were just allowed", () => {
    expect(logging?.["Properties"].LoggingFilter).toEqual({
      DefaultBehavior: "DROP",
      Filters: [
        {
          Behavior: "KEEP",
          Requirement: "MEETS_ANY",
          Conditions: ["BLOCK", "COUNT", "EXCLUDED_AS_COUNT"].map((Action) => ({
            ActionCondition: { Action },
          })),
        },
      ],
    });
  });
});
