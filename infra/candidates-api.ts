import { CfnOutput, Duration, Lazy, RemovalPolicy, Validations } from "aws-cdk-lib";
import {
  AccessLogField,
  AccessLogFormat,
  AuthorizationType,
  CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  type IAuthorizer,
  IdentitySource,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  type MethodOptions,
  RequestAuthorizer,
  RestApi,
  SecurityPolicy,
  type Stage,
} from "aws-cdk-lib/aws-apigateway";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { type OperationId, operations } from "#contract/operations";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { addGatewayResponses } from "./gateway-responses.ts";
import { type Grant, setting } from "./grant.ts";
import { failureRate } from "./metric-math.ts";
import { operationGrants } from "./operation-grants.ts";
import { ServiceFunction } from "./service-function.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

interface CandidatesApiProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
  readonly webhooks: WebhookDelivery;
}

/** What anybody may call, and how often: nobody without a key uses up what callers with one share. */
const OPEN_ROUTES = ["/docs/GET", "/docs/{file+}/GET", "/openapi.json/GET"] as const;
const OPEN_ROUTE_LIMITS: MethodDeploymentOptions = {
  throttlingRateLimit: 20,
  // A first visit to the reference asks for some forty files.
  throttlingBurstLimit: 200,
  loggingLevel: MethodLoggingLevel.ERROR,
  dataTraceEnabled: false,
  metricsEnabled: true,
};

/** The REST API of an environment: an authorizer, and one function per operation of the contract. */
export class CandidatesApi extends Construct {
  readonly #settings: EnvironmentSettings;
  readonly #authorizer: IAuthorizer;
  readonly #api: RestApi;
  readonly #refuseMethod: ServiceFunction;
  /** The methods that each path offers. */
  readonly #offered: Record<string, readonly string[]> = {};
  readonly authorizeRequest: ServiceFunction;
  /** The functions behind the contract's routes. */
  readonly operations: Readonly<Record<OperationId, ServiceFunction>>;

  constructor(scope: Construct, id: string, props: CandidatesApiProps) {
    super(scope, id);
    this.#settings = props.settings;

    const api = this.#restApi();
    this.#api = api;
    addGatewayResponses(api);
    acknowledgeFindings(api);
    this.authorizeRequest = this.#authorizerFunction(props.table);
    this.#authorizer = new RequestAuthorizer(this, "ApiKeyAuthorizer", {
      handler: this.authorizeRequest.live,
      identitySources: [IdentitySource.header("X-API-Key")],
      resultsCacheTtl: Duration.seconds(60),
    });

    this.#refuseMethod = this.#refuseMethodFunction();

    this.operations = this.#operations(operationGrants(props));
    for (const [path, offered] of Map.groupBy(operations, (operation) => operation.path)) {
      this.#route(api.root.resourceForPath(path), offered);
    }
    this.#documentation(api.root);

    new CfnOutput(this, "BaseUrl", {
      description: "The contract's {base_url}",
      value: api.url.replace(/\/$/, ""),
    });
  }

  get stage(): Stage {
    return this.#api.deploymentStage;
  }

  /** The stage's metrics, in periods of five minutes. */
  get metrics() {
    const { stage } = this;
    const period = Duration.minutes(5);
    return {
      requests: () => stage.metricCount(),
      clientErrors: () => stage.metricClientError(),
      failureRate: () => this.#failureRate(period),
      latency50: () => stage.metricLatency({ statistic: "p50" }),
      latency99: () => stage.metricLatency({ statistic: "p99" }),
    };
  }

  /**
   * Responses of 5xx in percent of requests. The stage is named by its words: a reference would make the aliases
   * that its methods invoke wait for an alarm that waits for them.
   */
  #failureRate(period: Duration): IMetric {
    const dimensionsMap = { ApiName: this.#api.restApiName, Stage: this.#settings.name };
    return failureRate({
      label: "5xx, % of requests",
      failures: { serverErrors: this.stage.metricServerError({ dimensionsMap, period }) },
      calls: this.stage.metricCount({ dimensionsMap, period }),
      period,
    });
  }

  /** The documentation asks for no key. It is deployed at once: a page of one version loads nothing of another's. */
  #documentation(root: IResource): void {
    const documentation = new ServiceFunction(this, "GetDocumentation", {
      settings: this.#settings,
      description: "Serves the documentation and the OpenAPI description",
      memorySize: 512,
      timeout: Duration.seconds(10),
      grants: [],
    });
    const open = { authorizationType: AuthorizationType.NONE };
    const docs = root.addResource("docs");
    for (const resource of [docs, docs.addResource("{file+}"), root.addResource("openapi.json")]) {
      resource.addMethod("GET", new LambdaIntegration(documentation, { allowTestInvoke: false }), open);
      this.#refuseOthers(resource, ["GET"], open);
    }
  }

  #restApi(): RestApi {
    const accessLog = new LogGroup(this, "AccessLog", {
      retention: this.#settings.logRetention,
      removalPolicy: this.#settings.retainData
        ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
        : RemovalPolicy.DESTROY,
    });
    const api = new RestApi(this, "RestApi", {
      restApiName: `CandidateService-${this.#settings.name}`,
      description: "Candidate intake, safe record access and webhook endpoints",
      endpointTypes: [EndpointType.REGIONAL],
      // As text, API Gateway would put U+FFFD in place of what is not UTF-8 (docs/decisions/0029).
      binaryMediaTypes: ["*/*"],
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: this.#settings.name,
        throttlingRateLimit: this.#settings.throttle.ratePerSecond,
        throttlingBurstLimit: this.#settings.throttle.burst,
        // Execution logs above ERROR would hold query strings, and an externalId may be personal data.
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        metricsEnabled: true,
        // A trace of the stage would hold the query string, and so an externalId. Lambda traces the functions.
        tracingEnabled: false,
        methodOptions: Object.fromEntries(OPEN_ROUTES.map((route) => [route, OPEN_ROUTE_LIMITS])),
        accessLogDestination: new LogGroupLogDestination(accessLog),
        // API Gateway escapes nothing in a format: no variable here may hold what a caller can put a quote into,
        // as User-Agent. A request id that a caller sends is taken only if it is a UUID.
        accessLogFormat: AccessLogFormat.custom(
          JSON.stringify({
            requestId: AccessLogField.contextRequestId(),
            extendedRequestId: AccessLogField.contextExtendedRequestId(),
            // Lambda's own, by which its lines about an invocation that reached its timeout are found.
            functionRequestId: AccessLogField.contextAwsEndpointRequestId(),
            time: AccessLogField.contextRequestTimeEpoch(),
            method: AccessLogField.contextHttpMethod(),
            resource: AccessLogField.contextResourcePath(),
            status: AccessLogField.contextStatus(),
            durationMs: AccessLogField.contextResponseLatency(),
            responseBytes: AccessLogField.contextResponseLength(),
            sourceIp: AccessLogField.contextIdentitySourceIp(),
            orgId: AccessLogField.contextAuthorizer("orgId"),
            keyId: AccessLogField.contextAuthorizer("keyId"),
          }),
        ),
      },
    });
    const definition = api.node.defaultChild;
    if (!(definition instanceof CfnRestApi)) throw new Error("A RestApi is made of a CfnRestApi.");
    // TLS 1.2 with forward secrecy, or 1.3 (API Gateway developer guide, "Supported security policies"). Without a
    // policy a regional API takes TLS 1.0. A policy of this name needs an access mode; AWS advises STRICT.
    definition.securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;
    definition.endpointAccessMode = EndpointAccessMode.STRICT;
    return api;
  }

  #refuseMethodFunction(): ServiceFunction {
    return new ServiceFunction(this, "RefuseMethod", {
      settings: this.#settings,
      description: "Refuses the methods that a path does not offer",
      memorySize: 256,
      timeout: Duration.seconds(10),
      grants: [setting({ OFFERED_METHODS: Lazy.string({ produce: () => JSON.stringify(this.#offered) }) })],
    });
  }

  #authorizerFunction(table: CandidateTable): ServiceFunction {
    return new ServiceFunction(this, "AuthorizeRequest", {
      settings: this.#settings,
      description: "Tells which organisation an API key belongs to",
      memorySize: 512,
      timeout: Duration.seconds(10),
      grants: [setting({ ENVIRONMENT: this.#settings.name }), table.items("KEY", "GetItem", "UpdateItem")],
    });
  }

  #operations(grants: Readonly<Record<OperationId, readonly Grant[]>>) {
    const functions = operations.map(({ operationId, summary }) => [
      operationId,
      new ServiceFunction(this, `${operationId[0]?.toUpperCase()}${operationId.slice(1)}`, {
        settings: this.#settings,
        description: summary,
        memorySize: 1024,
        // API Gateway waits 29 s: room for the parts of a large candidate that are throttled for a while.
        timeout: Duration.seconds(25),
        grants: grants[operationId],
      }),
    ]);
    return Object.fromEntries(functions) as Record<OperationId, ServiceFunction>;
  }

  /** The operations that a path offers to who has a key. */
  #route(resource: IResource, offered: readonly { method: string; operationId: OperationId }[]): void {
    const authorization = {
      authorizer: this.#authorizer,
      authorizationType: AuthorizationType.CUSTOM,
    };
    for (const { method, operationId } of offered) {
      const { live } = this.operations[operationId];
      resource.addMethod(method, new LambdaIntegration(live, { allowTestInvoke: false }), authorization);
    }
    const methods = offered.map(({ method }) => method);
    this.#refuseOthers(resource, methods, authorization);
  }

  /**
   * Every method that a path does not offer gets 405 with `Allow`, where the gateway's own response is a 403. By a
   * function, not by a mock integration: that one refuses or fails at media types it has no template for
   * (docs/decisions/0028-refused-methods.md).
   */
  #refuseOthers(resource: IResource, offered: readonly string[], authorization: MethodOptions): void {
    this.#offered[resource.path] = offered.toSorted();
    const integration = new LambdaIntegration(this.#refuseMethod, { allowTestInvoke: false });
    resource.addMethod("ANY", integration, authorization);
  }
}

/** Where the service departs from the AwsSolutions rules of cdk-nag, and why. */
function acknowledgeFindings(api: RestApi): void {
  Validations.of(api).acknowledge(
    {
      id: "AwsSolutions::AwsSolutions-APIG2",
      reason: "The functions validate against the contract's schemas; the gateway's models cannot say them.",
    },
    {
      id: "AwsSolutions::AwsSolutions-APIG3",
      reason:
        "Production has one; in development every route but the documentation asks for a key, and the stage throttles.",
    },
    {
      id: "AwsSolutions::AwsSolutions-APIG4",
      reason: "The documentation is open to everybody; every route of the contract asks for a key.",
    },
    {
      id: "AwsSolutions::AwsSolutions-COG4",
      reason: "The contract's callers are programs with an API key, judged by a Lambda authorizer.",
    },
    {
      id: "AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
      reason: "The account-wide role that API Gateway logs with; AWS asks for this policy by name.",
    },
  );
}
