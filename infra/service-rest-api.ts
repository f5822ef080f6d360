import { type Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import {
  AccessLogField,
  AccessLogFormat,
  CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigateway";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { BATCH_ROWS } from "#contract/candidate-batch";
import { createCandidateBatch } from "#contract/operations";
import type { EnvironmentSettings } from "./environment-settings.ts";
import { addGatewayResponses } from "./gateway-responses.ts";
import { removalPolicyOf } from "./removal-policy.ts";

interface ServiceRestApiProps {
  readonly settings: EnvironmentSettings;
}

/** What every method logs and measures: settings of a method replace the stage's. */
const METHOD_OPTIONS: MethodDeploymentOptions = {
  // The execution log would be in a log group that API Gateway creates outside of the stack and keeps forever. At level
  // INFO it would contain query strings, and an externalId may be personal data. The access log has what made the
  // gateway itself respond.
  loggingLevel: MethodLoggingLevel.OFF,
  dataTraceEnabled: false,
  // The metrics of the whole stage are free. Those of each method are billed as custom metrics, five for each (API
  // Gateway developer guide, "Amazon API Gateway dimensions and metrics"), and the access log has the same.
  metricsEnabled: false,
};

/** The public paths: those of the documentation. */
export const OPEN_PATHS = ["/", "/docs", "/docs/{file+}", "/openapi.json", "/llms.txt"] as const;

/** Their methods. The function responds to both alike: HTTP omits the body of a response to HEAD. */
export const OPEN_METHODS = ["GET", "HEAD"] as const;

/**
 * The public routes. Each has a low limit of its own, so that callers without a key cannot use up the account's quota,
 * which all methods share. Their other methods (`ANY`, which refuse-method serves without a key) have the stage's
 * default limit: their responses are small and read nothing.
 */
const OPEN_ROUTES = OPEN_PATHS.flatMap((path) => OPEN_METHODS.map((method) => `${path}/${method}`));
const OPEN_ROUTE_LIMITS: MethodDeploymentOptions = {
  ...METHOD_OPTIONS,
  throttlingRateLimit: 20,
  // A first visit to the reference loads some fifteen files.
  throttlingBurstLimit: 200,
};

/**
 * A batch is one request and up to a hundred creates, so full batches are limited to as many rows as single creates
 * are. In production these are 2,000 rows a second, or 8,000 write units at four a row (docs/scale.md): twice what a
 * new on-demand table takes (4,000; Amazon DynamoDB developer guide, "Understanding DynamoDB warm throughput"). Rows
 * that it throttles are refused with 503.
 */
function batchLimits({ ratePerSecond, burst }: EnvironmentSettings["throttle"]): MethodDeploymentOptions {
  const batchesOf = (rows: number) => Math.max(1, Math.floor(rows / BATCH_ROWS));
  return {
    ...METHOD_OPTIONS,
    throttlingRateLimit: batchesOf(ratePerSecond),
    throttlingBurstLimit: batchesOf(burst),
  };
}

/**
 * A line of the access log. API Gateway does not escape values in a format, so no variable here may contain a quotation
 * mark from a caller, as User-Agent could. API Gateway accepts a caller's request id only if it is a UUID.
 */
const ACCESS_LOG_LINE = {
  requestId: AccessLogField.contextRequestId(),
  extendedRequestId: AccessLogField.contextExtendedRequestId(),
  // Lambda's own request id, to find its log lines about a timed-out invocation.
  functionRequestId: AccessLogField.contextAwsEndpointRequestId(),
  time: AccessLogField.contextRequestTimeEpoch(),
  method: AccessLogField.contextHttpMethod(),
  resource: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  // The gateway's own response, as INTEGRATION_FAILURE. Its error messages are left out: they could contain a quotation
  // mark, or the text of an exception.
  errorType: AccessLogField.contextErrorResponseType(),
  // What Lambda's API returned for the invocation: 429 if it throttled the function, 403 if a permission is missing.
  lambdaStatus: AccessLogField.contextIntegrationStatus(),
  authorizerLambdaStatus: AccessLogField.contextAuthorizerIntegrationStatus(),
  durationMs: AccessLogField.contextResponseLatency(),
  responseBytes: AccessLogField.contextResponseLength(),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  orgId: AccessLogField.contextAuthorizer("orgId"),
  keyId: AccessLogField.contextAuthorizer("keyId"),
};

/** The REST API of an environment without routes: its stage, its access log and its error responses. */
export class ServiceRestApi extends RestApi {
  readonly #unauthorized: MetricFilter;
  readonly #rateLimited: MetricFilter;
  /**
   * The dimensions of the stage's metrics, by name: a reference would create a dependency cycle between the aliases
   * that its methods invoke and the alarm that their deployment waits for.
   */
  readonly stageDimensions: Readonly<Record<"ApiName" | "Stage", string>>;

  constructor(scope: Construct, id: string, { settings }: ServiceRestApiProps) {
    const { stackName } = Stack.of(scope);
    const accessLog = new LogGroup(scope, "AccessLog", {
      retention: settings.logRetention,
      removalPolicy: removalPolicyOf(settings),
    });
    super(scope, id, {
      restApiName: stackName,
      description: "Candidate intake, safe record access and webhook endpoints",
      endpointTypes: [EndpointType.REGIONAL],
      // API Gateway replaces bytes that are not UTF-8 with U+FFFD in bodies it passes as text (docs/decisions/0029).
      binaryMediaTypes: ["*/*"],
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: settings.name,
        throttlingRateLimit: settings.throttle.ratePerSecond,
        throttlingBurstLimit: settings.throttle.burst,
        ...METHOD_OPTIONS,
        // A trace of the stage would contain the query string, and so an externalId. The functions are traced. API
        // Gateway may still trace what its sender has sampled: docs/operations.md has a check in an account.
        tracingEnabled: false,
        methodOptions: {
          ...Object.fromEntries(OPEN_ROUTES.map((route) => [route, OPEN_ROUTE_LIMITS])),
          [`${createCandidateBatch.path}/${createCandidateBatch.method}`]: batchLimits(settings.throttle),
        },
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_LINE)),
      },
    });
    this.stageDimensions = { ApiName: this.restApiName, Stage: settings.name };
    this.#unauthorized = new MetricFilter(this, "Unauthorized", {
      logGroup: accessLog,
      filterPattern: FilterPattern.stringValue("$.status", "=", "401"),
      metricNamespace: stackName,
      metricName: "Unauthorized",
    });
    this.#rateLimited = new MetricFilter(this, "RateLimited", {
      logGroup: accessLog,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue("$.errorType", "=", "THROTTLED"),
        // The documentation needs no key: anybody could exhaust its limits.
        FilterPattern.stringValue("$.resource", "=", "/v1/*"),
      ),
      metricNamespace: stackName,
      metricName: "RateLimited",
    });
    this.#requireModernTls();
    addGatewayResponses(this);
    acknowledgeFindings(this);
  }

  /**
   * How many responses were 401. API Gateway counts only all 4xx together. The authorizer cannot count them: API
   * Gateway itself refuses a request without a key, and does not invoke it while a result is cached.
   */
  metricUnauthorized(period: Duration): Metric {
    return this.#unauthorized.metric({ statistic: "Sum", period });
  }

  /**
   * How many requests the limits of the stage, which all callers of a method share, refused. WAF's are not included.
   */
  metricRateLimited(period: Duration): Metric {
    return this.#rateLimited.metric({ statistic: "Sum", period });
  }

  /**
   * TLS 1.2 with forward secrecy, or 1.3 (API Gateway developer guide, "Supported security policies"). Without a
   * policy, a regional API accepts TLS 1.0. A policy with this name requires an access mode; AWS recommends STRICT.
   */
  #requireModernTls(): void {
    const definition = this.node.defaultChild;
    if (!(definition instanceof CfnRestApi))
      throw new Error("The RestApi has no CfnRestApi on which to set a policy.");
    definition.securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;
    definition.endpointAccessMode = EndpointAccessMode.STRICT;
  }
}

/** The exceptions from the AwsSolutions rules of cdk-nag, with their reasons. */
function acknowledgeFindings(api: RestApi): void {
  Validations.of(api).acknowledge(
    {
      id: "AwsSolutions::AwsSolutions-APIG2",
      reason:
        "The functions validate against the contract's schemas, which the gateway's models cannot express.",
    },
    {
      id: "AwsSolutions::AwsSolutions-APIG3",
      reason:
        "Production has one; in development every route except the documentation requires a key, and the stage throttles.",
    },
    {
      id: "AwsSolutions::AwsSolutions-APIG4",
      reason: "The documentation is public; every route of the contract requires a key.",
    },
    {
      id: "AwsSolutions::AwsSolutions-APIG6",
      reason: "The access log has the type of each response of the gateway itself, and what Lambda returned.",
    },
    {
      id: "AwsSolutions::AwsSolutions-COG4",
      reason: "The contract's callers are programs with an API key, which a Lambda authorizer verifies.",
    },
    {
      id: "AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
      reason: "The account-wide role with which API Gateway logs; AWS requires this policy.",
    },
  );
}
