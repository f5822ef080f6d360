import { expect, test } from "vitest";
import { readApi } from "../../../local/api-gateway/definition.ts";
import { Template } from "../../../local/template.ts";
import { restApiResources } from "../rest-api-fixture.ts";

/** The API of the fixture with other properties of some of its resources, and with further resources. */
function apiWith(
  changes: Partial<Record<keyof typeof restApiResources, object>> = {},
  further: Record<string, object> = {},
) {
  const functions = ["Echo", "Misbehave", "Authorize"].map((name) => [
    name,
    { Type: "AWS::Lambda::Function", Properties: { FunctionName: name } },
  ]);
  const api = Object.entries(restApiResources).map(([logicalId, { Type, Properties }]) => [
    logicalId,
    { Type, Properties: { ...Properties, ...changes[logicalId as keyof typeof restApiResources] } },
  ]);
  const Resources = { ...Object.fromEntries([...functions, ...api]), ...further };
  return readApi(new Template({ Resources }, { stackName: "Fixture", queuesEndpoint: "http://localhost" }));
}

test("An API without its settings has API Gateway's defaults", () => {
  const api = apiWith({ Authorizer: { AuthorizerResultTtlInSeconds: undefined } });

  const closed = api?.methods.find(({ authorizer }) => authorizer);
  expect(closed?.authorizer?.cacheSeconds).toBe(300);
  expect(closed?.integration.timeoutMs).toBe(29_000);
  expect(api?.throttle).toBeUndefined();
});

test("The headers of an identity source may have spaces between them, and any case", () => {
  const IdentitySource = "method.request.header.X-Org, method.request.header.Authorization";

  const api = apiWith({ Authorizer: { IdentitySource } });

  expect(api?.methods.flatMap(({ authorizer }) => authorizer?.identityHeaders ?? [])).toEqual(
    expect.arrayContaining(["x-org", "authorization"]),
  );
});

test("The rate of one method is not that of the stage", () => {
  const setting = { ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 };
  const MethodSettings = [
    { ...setting, ResourcePath: "/~1open", HttpMethod: "GET" },
    { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20, ResourcePath: "/*", HttpMethod: "*" },
  ];

  expect(apiWith({ Stage: { MethodSettings } })?.throttle).toEqual({ ratePerSecond: 10, burst: 20 });
});

test.each<[string, Parameters<typeof apiWith>]>([
  ["uses authorization AWS_IAM", [{ OpenGet: { AuthorizationType: "AWS_IAM" } }]],
  ["uses authorization CUSTOM", [{ ClosedGet: { AuthorizerId: "another" } }]],
  ["one REST API with one stage", [{}, { Second: restApiResources.Stage }]],
  ["one REST API with one stage", [{}, { Second: restApiResources.Api }]],
  ["is not a header", [{ Authorizer: { IdentitySource: "method.request.querystring.key" } }]],
  [
    "is not a Lambda function",
    [{ OpenGet: { Integration: { Type: "AWS_PROXY", Uri: "https://elsewhere" } } }],
  ],
])("An API that the local stack cannot run is refused: it %s", (reason, [changes, further]) => {
  expect(() => apiWith(changes, further)).toThrow(reason);
});
