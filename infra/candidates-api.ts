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
  type Resource,
  RestApi,
  SecurityPolicy,
  type Stage,
} from "aws-cdk-lib/aws-apigateway";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { LIFE_ATTRIBUTES } from "#candidates/candidate-lives";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { addGatewayResponses } from "./gateway-responses.ts";
import { failureRate } from "./metric-math.ts";
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
  readonly #table: CandidateTable;
  readonly #authorizer: IAuthorizer;
  readonly #api: RestApi;
  readonly #refuseMethod: ServiceFunction;
  /** The methods that each path offers. */
  readonly #offered: Record<string, readonly string[]> = {};
  readonly authorizeRequest: ServiceFunction;
  readonly createCandidate: ServiceFunction;
  /** The functions behind the contract's routes. */
  readonly operations: ServiceFunction[] = [];

  constructor(scope: Construct, id: string, { settings, table, webhooks }: CandidatesApiProps) {
    super(scope, id);
    this.#settings = settings;
    this.#table = table;

    const api = this.#restApi();
    this.#api = api;
    addGatewayResponses(api);
    acknowledgeFindings(api);
    this.authorizeRequest = this.#authorizerFunction();
    this.#authorizer = new RequestAuthorizer(this, "ApiKeyAuthorizer", {
      handler: this.authorizeRequest.live,
      identitySources: [IdentitySource.header("X-API-Key")],
      resultsCacheTtl: Duration.seconds(60),
    });

    this.#refuseMethod = this.#refuseMethodFunction();

    const v1 = api.root.addResource("v1");
    this.createCandidate = this.#candidates(v1.addResource("candidates"));
    this.#webhookEndpoints(v1.addResource("webhook-endpoints"), webhooks);
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

  #candidates(candidates: Resource): ServiceFunction {
    const create = this.#operation("CreateCandidate", "create-candidate", "Takes a candidate into intake");
    this.#table.allow(create, "CANDIDATE", "PutItem", "GetItem");
    const find = this.#operation("FindCandidate", "find-candidate", "Reads a candidate by externalId");
    this.#table.allow(find, "CANDIDATE", "GetItem");
    this.#route(candidates, { GET: find, POST: create });

    const get = this.#operation("GetCandidate", "get-candidate", "Reads a candidate by handle");
    this.#table.allow(get, "CANDIDATE", "GetItem");
    const amend = this.#operation("AmendCandidate", "amend-candidate", "Amends a candidate");
    this.#table.allow(amend, "CANDIDATE", "UpdateItem", "GetItem", "PutItem", "DeleteItem");
    const candidate = candidates.addResource("{id}");
    this.#route(candidate, { GET: get, PUT: amend });

    const { erasureRequests } = this.#settings;
    const erase = this.#operation(
      "RequestErasure",
      "request-erasure",
      "Erases a candidate at its partner's request",
      { ERASURE_REQUESTS: erasureRequests },
    );
    if (erasureRequests === "accepted") {
      this.#table.allow(erase, "CANDIDATE", "GetItem", "PutItem", "DeleteItem");
    }
    this.#route(candidate.addResource("erasure"), { POST: erase });
    return create;
  }

  #webhookEndpoints(endpoints: Resource, webhooks: WebhookDelivery): void {
    const create = this.#operation(
      "CreateWebhookEndpoint",
      "create-webhook-endpoint",
      "Registers an endpoint",
      {
        KEYRING_SECRET_ID: webhooks.keyring.secretArn,
        ALLOWED_WEBHOOK_NETWORKS: webhooks.allowedNetworks,
      },
    );
    this.#table.allow(create, "ORGANISATION", "PutItem", "UpdateItem");
    create.allowReadingSecret(webhooks.keyring);
    const list = this.#operation("ListWebhookEndpoints", "list-webhook-endpoints", "Lists endpoints");
    this.#table.allow(list, "ORGANISATION", "Query");
    this.#route(endpoints, { GET: list, POST: create });

    const get = this.#operation("GetWebhookEndpoint", "get-webhook-endpoint", "Reads an endpoint");
    this.#table.allow(get, "ORGANISATION", "GetItem");
    const remove = this.#operation("DeleteWebhookEndpoint", "delete-webhook-endpoint", "Deletes an endpoint");
    this.#table.allow(remove, "ORGANISATION", "DeleteItem", "UpdateItem");
    const update = this.#operation(
      "UpdateWebhookEndpoint",
      "update-webhook-endpoint",
      "Changes an endpoint",
      { ALLOWED_WEBHOOK_NETWORKS: webhooks.allowedNetworks },
    );
    this.#table.allow(update, "ORGANISATION", "GetItem", "UpdateItem");
    const endpoint = endpoints.addResource("{id}");
    this.#route(endpoint, { DELETE: remove, GET: get, PATCH: update });

    const test = this.#operation("TestWebhookEndpoint", "test-webhook-endpoint", "Sends a sample event", {
      DELIVERY_QUEUE_URL: webhooks.deliveryQueue.queueUrl,
    });
    this.#table.allow(test, "ORGANISATION", "GetItem");
    test.allowSendingTo(webhooks.deliveryQueue);
    this.#route(endpoint.addResource("test"), { POST: test });

    const rotate = this.#operation(
      "RotateSigningSecret",
      "rotate-signing-secret",
      "Gives an endpoint a new signing secret",
      { KEYRING_SECRET_ID: webhooks.keyring.secretArn },
    );
    this.#table.allow(rotate, "ORGANISATION", "GetItem", "UpdateItem");
    rotate.allowReadingSecret(webhooks.keyring);
    this.#route(endpoint.addResource("rotate-secret"), { POST: rotate });

    const listDeliveries = this.#operation(
      "ListWebhookDeliveries",
      "list-webhook-deliveries",
      "Lists what became of deliveries",
    );
    this.#table.allow(listDeliveries, "ORGANISATION", "GetItem");
    this.#table.allow(listDeliveries, "ENDPOINT", "Query");
    const deliveries = endpoint.addResource("deliveries");
    this.#route(deliveries, { GET: listDeliveries });

    const resend = this.#operation(
      "ResendWebhookDelivery",
      "resend-webhook-delivery",
      "Sends an event to an endpoint once more",
      { DELIVERY_QUEUE_URL: webhooks.deliveryQueue.queueUrl },
    );
    this.#table.allow(resend, "ORGANISATION", "GetItem");
    this.#table.allow(resend, "ENDPOINT", "GetItem");
    this.#table.allowReadingOfCandidates(resend, LIFE_ATTRIBUTES);
    resend.allowSendingTo(webhooks.deliveryQueue);
    this.#route(deliveries.addResource("{eventId}").addResource("resend"), { POST: resend });
  }

  /** The documentation asks for no key. It is deployed at once: a page of one version loads nothing of another's. */
  #documentation(root: IResource): void {
    const documentation = new ServiceFunction(this, "GetDocumentation", {
      settings: this.#settings,
      name: "get-documentation",
      description: "Serves the documentation and the OpenAPI description",
      memorySize: 512,
      timeout: Duration.seconds(10),
      environment: {},
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
      name: "refuse-method",
      description: "Refuses the methods that a path does not offer",
      memorySize: 256,
      timeout: Duration.seconds(10),
      environment: { OFFERED_METHODS: Lazy.string({ produce: () => JSON.stringify(this.#offered) }) },
    });
  }

  #authorizerFunction(): ServiceFunction {
    const authorizeRequest = new ServiceFunction(this, "AuthorizeRequest", {
      settings: this.#settings,
      name: "authorize-request",
      description: "Tells which organisation an API key belongs to",
      memorySize: 512,
      timeout: Duration.seconds(10),
      environment: { TABLE_NAME: this.#table.tableName, ENVIRONMENT: this.#settings.name },
    });
    this.#table.allow(authorizeRequest, "KEY", "GetItem", "UpdateItem");
    return authorizeRequest;
  }

  #operation(
    id: string,
    name: string,
    description: string,
    environment: Readonly<Record<string, string>> = {},
  ): ServiceFunction {
    return new ServiceFunction(this, id, {
      settings: this.#settings,
      name,
      description,
      memorySize: 1024,
      // API Gateway waits 29 s: room for the parts of a large candidate that are throttled for a while.
      timeout: Duration.seconds(25),
      environment: { TABLE_NAME: this.#table.tableName, ...environment },
    });
  }

  /** The methods that a path offers to who has a key. */
  #route(resource: Resource, operations: Readonly<Record<string, ServiceFunction>>): void {
    const authorization = {
      authorizer: this.#authorizer,
      authorizationType: AuthorizationType.CUSTOM,
    };
    for (const [method, operation] of Object.entries(operations)) {
      const integration = new LambdaIntegration(operation.live, { allowTestInvoke: false });
      resource.addMethod(method, integration, authorization);
      this.operations.push(operation);
    }
    this.#refuseOthers(resource, Object.keys(operations), authorization);
  }

  /**
   * Every method that a path does not offer gets 405 with `Allow`, where the gateway's own response is a 403. By a
   * function, not by a mock integration: that one refuses or fails at media types it has no template for
   * (docs/decisions/0028-refused-methods.md).
   */
  #refuseOthers(resource: Resource, offered: readonly string[], authorization: MethodOptions): void {
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
