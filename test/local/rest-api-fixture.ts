/** A REST API with a request authorizer, in the form that CDK gives a template. */
const restApi = { RestApiId: { Ref: "Api" } };

function invocation(logicalId: string) {
  return {
    "Fn::Join": [
      "",
      [
        "arn:",
        { Ref: "AWS::Partition" },
        ":apigateway:us-east-1:lambda:path/2015-03-31/functions/",
        { "Fn::GetAtt": [logicalId, "Arn"] },
        "/invocations",
      ],
    ],
  };
}

function resource(ParentId: unknown, PathPart: string) {
  return { Type: "AWS::ApiGateway::Resource", Properties: { ...restApi, ParentId, PathPart } };
}

function functionMethod(ResourceId: unknown, HttpMethod: string, logicalId: string, authorized = false) {
  return {
    Type: "AWS::ApiGateway::Method",
    Properties: {
      ...restApi,
      ResourceId,
      HttpMethod,
      ...(authorized
        ? { AuthorizationType: "CUSTOM", AuthorizerId: { Ref: "Authorizer" } }
        : { AuthorizationType: "NONE" }),
      Integration: { Type: "AWS_PROXY", IntegrationHttpMethod: "POST", Uri: invocation(logicalId) },
    },
  };
}

function gatewayResponse(ResponseType: string, StatusCode: string) {
  return {
    Type: "AWS::ApiGateway::GatewayResponse",
    Properties: {
      ...restApi,
      ResponseType,
      StatusCode,
      ResponseParameters: {
        "gatewayresponse.header.X-Request-Id": "context.requestId",
        "gatewayresponse.header.Cache-Control": "'no-store'",
      },
      ResponseTemplates: { "application/json": `{"type":"${ResponseType}","id":"$context.requestId"}` },
    },
  };
}

const root = { "Fn::GetAtt": ["Api", "RootResourceId"] };

export const restApiResources = {
  Api: {
    Type: "AWS::ApiGateway::RestApi",
    Properties: { Name: "fixture", BinaryMediaTypes: ["application/json", "image/*"] },
  },
  Stage: {
    Type: "AWS::ApiGateway::Stage",
    Properties: {
      ...restApi,
      StageName: "test",
      DeploymentId: { Ref: "Deployment" },
      AccessLogSetting: {
        DestinationArn: "arn:aws:logs:us-east-1:000000000000:log-group:access",
        Format:
          "$context.requestId $context.status $context.authorizer.orgId $context.error.responseType $context.integrationStatus $context.awsEndpointRequestId",
      },
    },
  },
  Authorizer: {
    Type: "AWS::ApiGateway::Authorizer",
    Properties: {
      ...restApi,
      Type: "REQUEST",
      AuthorizerUri: invocation("Authorize"),
      AuthorizerResultTtlInSeconds: 60,
      IdentitySource: "method.request.header.X-API-Key",
    },
  },
  Open: resource(root, "open"),
  OpenNamed: resource({ Ref: "Open" }, "{name}"),
  Closed: resource(root, "closed"),
  OpenGet: functionMethod({ Ref: "Open" }, "GET", "Echo"),
  OpenNamedGet: functionMethod({ Ref: "OpenNamed" }, "GET", "Echo"),
  OpenNamedPost: functionMethod({ Ref: "OpenNamed" }, "POST", "Echo"),
  OpenPost: functionMethod({ Ref: "Open" }, "POST", "Misbehave"),
  ClosedGet: functionMethod({ Ref: "Closed" }, "GET", "Echo", true),
  ClosedPost: functionMethod({ Ref: "Closed" }, "POST", "Echo", true),
  Unauthorized: gatewayResponse("UNAUTHORIZED", "401"),
  Unknown: gatewayResponse("MISSING_AUTHENTICATION_TOKEN", "404"),
  Denied: gatewayResponse("ACCESS_DENIED", "401"),
  Any4xx: gatewayResponse("DEFAULT_4XX", "400"),
  TooLarge: gatewayResponse("REQUEST_TOO_LARGE", "413"),
  Any5xx: gatewayResponse("DEFAULT_5XX", "500"),
};
