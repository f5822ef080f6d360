import { posix } from "node:path";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, inject, test } from "vitest";
import { ERROR_STATUS, type ErrorCode } from "#contract/errors";
import { operations } from "../docs/description.ts";
import { resourcesIn, templatesIn } from "./synthesised.ts";

const [development, production] = templatesIn(inject("assembly"));

describe.each([development, production])("the REST API of %s", (name, template) => {
  const resources = resourcesIn(template);

  /** As `/v1/candidates/{id}`. */
  const pathOf = (resourceId: unknown): string => {
    const { Ref = "" } = resourceId as { Ref?: string };
    const { ParentId, PathPart } =
      template.findResources("AWS::ApiGateway::Resource")[Ref]?.["Properties"] ?? {};
    return PathPart === undefined ? "/" : posix.join(pathOf(ParentId), PathPart);
  };

  const open = ["/", "/docs", "/docs/{file+}", "/openapi.json", "/llms.txt"];

  test("requires an API key on every route except the documentation's", () => {
    const methods = resources("AWS::ApiGateway::Method");
    expect(methods.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of methods) {
      const asks = !open.includes(pathOf(Properties["ResourceId"]));
      expect(Properties["AuthorizationType"], id).toBe(asks ? "CUSTOM" : "NONE");
      expect(Properties["AuthorizerId"] !== undefined, id).toBe(asks);
    }
    template.hasResourceProperties("AWS::ApiGateway::Authorizer", {
      Type: "REQUEST",
      IdentitySource: "method.request.header.X-API-Key",
      AuthorizerResultTtlInSeconds: 60,
    });
  });

  test("has no metrics of each method, which are billed, and watches those of the stage", () => {
    const [stage] = resources("AWS::ApiGateway::Stage");
    const settings = stage?.[1].Properties["MethodSettings"] as { readonly MetricsEnabled: boolean }[];
    const watched = JSON.stringify([
      template.findResources("AWS::CloudWatch::Alarm"),
      template.findResources("AWS::CloudWatch::Dashboard"),
    ]);

    expect(new Set(settings.map(({ MetricsEnabled }) => MetricsEnabled))).toEqual(new Set([false]));
    expect(watched).toContain("AWS/ApiGateway");
    expect(watched).not.toMatch(/"Method\\?"/);
  });

  test("passes every body to its function as binary", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", { BinaryMediaTypes: ["*/*"] });
  });

  test("has a route for exactly the operations of the list, each with the function of its name", () => {
    const functions = template.findResources("AWS::Lambda::Function");
    const aliases = template.findResources("AWS::Lambda::Alias");
    const routes = resources("AWS::ApiGateway::Method").flatMap(([, { Properties }]) => {
      const [, id = ""] =
        /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(Properties["Integration"])) ?? [];
      const invoked = functions[aliases[id]?.["Properties"]["FunctionName"].Ref ?? id];
      return Properties["HttpMethod"] === "ANY"
        ? []
        : [
            `${Properties["HttpMethod"]} ${pathOf(Properties["ResourceId"])} ${invoked?.["Properties"]["FunctionName"].replace(`${name}-`, "")}`,
          ];
    });
    const isProduction = name === production[0];
    const offered = operations.filter(({ operation }) => !(isProduction && "x-sandbox" in operation));
    const described = offered.map(
      ({ route, operation: { operationId = "" } }) =>
        `${route} ${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );

    const documentation = open.flatMap((path) => [
      `GET ${path} get-documentation`,
      `HEAD ${path} get-documentation`,
    ]);
    expect(routes.sort()).toEqual([...described, ...documentation].sort());
  });

  test("responds on every path to an unsupported method with Allow, whatever the media type", () => {
    const methods = resources("AWS::ApiGateway::Method").map(([, { Properties }]) => Properties);
    const [refusing] = resources("AWS::Lambda::Function").filter(
      ([, { Properties }]) => Properties["FunctionName"] === `${name}-refuse-method`,
    );
    for (const { Integration } of methods.filter(({ HttpMethod }) => HttpMethod === "ANY")) {
      // A proxy takes a body of every type; a mock integration responds with 415, or 500, to one without a template.
      expect(Integration).toMatchObject({ Type: "AWS_PROXY" });
      expect(JSON.stringify(Integration)).toContain(`"${refusing?.[0]}"`);
    }
    const offered = Object.groupBy(methods, ({ ResourceId }) => pathOf(ResourceId));
    const environment = refusing?.[1].Properties["Environment"] as { Variables: Record<string, string> };
    expect(JSON.parse(environment.Variables["OFFERED_METHODS"] ?? "")).toEqual(
      Object.fromEntries(
        Object.entries(offered).map(([path, of = []]) => [
          path,
          of
            .map(({ HttpMethod }) => HttpMethod)
            .filter((method) => method !== "ANY")
            .sort(),
        ]),
      ),
    );
    for (const of of Object.values(offered)) {
      expect(of?.filter(({ HttpMethod }) => HttpMethod === "ANY")).toHaveLength(1);
    }
  });

  test("gives every error of API Gateway the envelope and the common headers", () => {
    const responses = resources("AWS::ApiGateway::GatewayResponse");
    const types = responses.map(([, { Properties }]) => Properties["ResponseType"]);
    expect(types).toEqual(expect.arrayContaining(["DEFAULT_4XX", "DEFAULT_5XX"]));
    for (const [id, { Properties }] of responses) {
      const templates = Properties["ResponseTemplates"] as Record<string, string>;
      const body = JSON.parse(templates["application/json"] ?? "") as Record<string, unknown>;
      expect(body, id).toEqual({ error: expect.any(String), message: expect.stringMatching(/^\w.+\.$/) });
      expect(String(ERROR_STATUS[body["error"] as ErrorCode]), id).toBe(Properties["StatusCode"]);
      expect(Properties["ResponseParameters"], id).toMatchObject({
        "gatewayresponse.header.X-Request-Id": "context.requestId",
        "gatewayresponse.header.Cache-Control": "'no-store'",
        "gatewayresponse.header.X-Content-Type-Options": "'nosniff'",
      });
    }
  });

  test.each(["INTEGRATION_FAILURE", "AUTHORIZER_FAILURE", "AUTHORIZER_CONFIGURATION_ERROR"])(
    "maps %s, which a throttled function causes too, to a 503 with Retry-After",
    (ResponseType) => {
      template.hasResourceProperties("AWS::ApiGateway::GatewayResponse", {
        ResponseType,
        StatusCode: "503",
        ResponseParameters: Match.objectLike({ "gatewayresponse.header.Retry-After": "'1'" }),
        ResponseTemplates: { "application/json": Match.stringLikeRegexp('"error":"service_unavailable"') },
      });
    },
  );

  test("restricts the API to TLS 1.2 or later", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      EndpointConfiguration: { Types: ["REGIONAL"] },
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      // API Gateway refuses a policy of that name without it.
      EndpointAccessMode: "STRICT",
    });
  });

  test("traces functions, but not API Gateway, whose traces contain query strings", () => {
    for (const [id, { Properties }] of resources("AWS::ApiGateway::Stage")) {
      expect(Properties["TracingEnabled"], id).toBe(false);
    }
    for (const [id, { Properties }] of resources("AWS::Lambda::Function")) {
      expect(Properties["TracingConfig"], id).toEqual({ Mode: "Active" });
    }
  });

  test("logs in the access log only fields in which a caller cannot send a quote", () => {
    const [[, { Properties }]] = resources("AWS::ApiGateway::Stage") as [[string, { Properties: object }]];
    const { Format } = (Properties as { AccessLogSetting: { Format: string } }).AccessLogSetting;
    expect(Format.match(/\$context\.[\w.]+/g)).toEqual([
      "$context.requestId",
      "$context.extendedRequestId",
      "$context.awsEndpointRequestId",
      "$context.requestTimeEpoch",
      "$context.httpMethod",
      "$context.resourcePath",
      "$context.status",
      "$context.error.responseType",
      "$context.integrationStatus",
      "$context.authorizer.integrationStatus",
      "$context.responseLatency",
      "$context.responseLength",
      "$context.identity.sourceIp",
      "$context.authorizer.orgId",
      "$context.authorizer.keyId",
    ]);
  });

  test("limits batches to as many candidates a second as the stage allows one by one, on a whole vCPU", () => {
    const [[, { Properties }]] = resources("AWS::ApiGateway::Stage") as [[string, { Properties: object }]];
    const { MethodSettings } = Properties as { MethodSettings: Record<string, unknown>[] };
    const limitsOf = (path: string) => MethodSettings.find(({ ResourcePath }) => ResourcePath === path);
    const single = limitsOf("/*");
    expect(limitsOf("/~1v1~1candidates")).toBeUndefined();
    expect(limitsOf("/~1v1~1candidate-batches")).toMatchObject({
      HttpMethod: "POST",
      ThrottlingRateLimit: Number(single?.["ThrottlingRateLimit"]) / 100,
      ThrottlingBurstLimit: Number(single?.["ThrottlingBurstLimit"]) / 100,
    });
    template.hasResourceProperties("AWS::Lambda::Function", {
      FunctionName: Match.stringLikeRegexp("create-candidate-batch$"),
      MemorySize: 1_769,
      Timeout: 25,
    });
  });

  test("logs neither queries nor bodies in API Gateway, and nothing outside of the stack", () => {
    template.hasResourceProperties("AWS::ApiGateway::Stage", {
      StageName: name.replace("CandidateService-", ""),
      AccessLogSetting: {
        Format: Match.not(Match.stringLikeRegexp("querystring|requestOverride|context\\.path")),
      },
    });
    for (const [, { Properties }] of resources("AWS::ApiGateway::Stage")) {
      for (const setting of Properties["MethodSettings"] as unknown[]) {
        expect(setting).toMatchObject({ DataTraceEnabled: false, LoggingLevel: "OFF" });
      }
    }
  });
});
