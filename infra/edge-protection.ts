import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import type { ErrorEnvelope } from "#contract/error-envelope";
import { ERROR_STATUS } from "#contract/errors";
import { GATEWAY_MESSAGES } from "#contract/gateway-messages";
import { API_KEY_HEADER } from "#runtime/request-header";
import type { EdgeRates, EnvironmentSettings } from "./environment-settings.ts";
import type { Observability } from "./observability.ts";
import { removalPolicyOf } from "./removal-policy.ts";
import type { AlarmDefinition } from "./service-alarms.ts";
import { FEWEST_REQUESTS } from "./service-metrics.ts";

interface EdgeProtectionProps {
  readonly settings: EnvironmentSettings;
  readonly rates: EdgeRates;
  readonly stage: Stage;
  readonly observability: Observability;
}

const RATE_LIMITED = "RateLimited";
const WINDOW_SECONDS = 300;

/**
 * Every rule of AWS's managed groups, spelled as in "Baseline rule groups" and "IP reputation rule groups" of the AWS
 * WAF developer guide, and the action for requests that match it.
 *
 * The action is "count" for rules about a body, a query, a path or a missing User-Agent: the contract does not
 * restrict these, and its schemas validate them (docs/decisions/0014-edge.md). The action is "block" for rules about
 * the caller's address, or about a cookie, header or method that no call of the contract has. AWS WAF ignores
 * misspelt rule names.
 */
const MANAGED_RULES = {
  AWSManagedRulesAmazonIpReputationList: {
    AWSManagedIPReputationList: "block",
    AWSManagedReconnaissanceList: "block",
    // AWS's own action for this list, which is intended for custom rate rules.
    AWSManagedIPDDoSList: "count",
  },
  AWSManagedRulesKnownBadInputsRuleSet: {
    JavaDeserializationRCE_HEADER: "block",
    JavaDeserializationRCE_BODY: "count",
    JavaDeserializationRCE_URIPATH: "count",
    JavaDeserializationRCE_QUERYSTRING: "count",
    Host_localhost_HEADER: "block",
    PROPFIND_METHOD: "block",
    ExploitablePaths_URIPATH: "count",
    Log4JRCE_HEADER: "block",
    Log4JRCE_QUERYSTRING: "count",
    Log4JRCE_BODY: "count",
    Log4JRCE_URIPATH: "count",
    ReactJSRCE_BODY: "count",
  },
  AWSManagedRulesCommonRuleSet: {
    NoUserAgent_HEADER: "count",
    UserAgent_BadBots_HEADER: "block",
    SizeRestrictions_QUERYSTRING: "count",
    SizeRestrictions_Cookie_HEADER: "block",
    SizeRestrictions_BODY: "count",
    SizeRestrictions_URIPATH: "count",
    EC2MetaDataSSRF_BODY: "count",
    EC2MetaDataSSRF_COOKIE: "block",
    EC2MetaDataSSRF_URIPATH: "count",
    EC2MetaDataSSRF_QUERYARGUMENTS: "count",
    GenericLFI_QUERYARGUMENTS: "count",
    GenericLFI_URIPATH: "count",
    GenericLFI_BODY: "count",
    RestrictedExtensions_URIPATH: "count",
    RestrictedExtensions_QUERYARGUMENTS: "count",
    GenericRFI_QUERYARGUMENTS: "count",
    GenericRFI_BODY: "count",
    GenericRFI_URIPATH: "count",
    CrossSiteScripting_COOKIE: "block",
    CrossSiteScripting_QUERYARGUMENTS: "count",
    CrossSiteScripting_BODY: "count",
    CrossSiteScripting_URIPATH: "count",
  },
} as const satisfies Record<string, Readonly<Record<string, "block" | "count">>>;

/** A web ACL for the API: limits per key and per address, AWS's managed rules, and a log of matches. */
export class EdgeProtection extends Construct {
  constructor(scope: Construct, id: string, { settings, rates, stage, observability }: EdgeProtectionProps) {
    super(scope, id);
    const webAcl = this.#webAcl(rates);
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: stage.stageArn,
      webAclArn: webAcl.attrArn,
    });
    this.#log(webAcl, settings);
    observability.alarm("RequestsBlocked", requestsBlocked(Stack.of(this)));
  }

  #webAcl(rates: EdgeRates): CfnWebACL {
    const envelope: ErrorEnvelope = {
      error: "rate_limited",
      message: GATEWAY_MESSAGES.rate_limited,
    };
    return new CfnWebACL(this, "WebAcl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      // CloudWatch distinguishes the web ACLs of an account and region by this name alone (AWS WAF developer guide,
      // "Web ACL, rule group, and rule dimensions").
      visibilityConfig: visibleAs(Stack.of(this).stackName),
      customResponseBodies: {
        [RATE_LIMITED]: { contentType: "APPLICATION_JSON", content: JSON.stringify(envelope) },
      },
      // Redaction of the log does not cover the key by which a rate rule counts, nor the text of a query or body that
      // an injection rule matched. This protection covers both (AWS WAF API, DataProtection).
      dataProtectionConfig: {
        dataProtections: [
          { fieldType: "SINGLE_HEADER", fieldKeys: [API_KEY_HEADER, "authorization", "cookie"] },
          { fieldType: "QUERY_STRING" },
          { fieldType: "BODY" },
        ].map((field) => ({ field, action: "SUBSTITUTION" })),
      },
      rules: [
        rateRule("RatePerKey", 0, {
          limit: rates.perKey,
          aggregateKeyType: "CUSTOM_KEYS",
          customKeys: [
            { header: { name: API_KEY_HEADER, textTransformations: [{ priority: 0, type: "NONE" }] } },
          ],
          evaluationWindowSec: WINDOW_SECONDS,
        }),
        rateRule("RatePerAddress", 1, {
          limit: rates.perAddress,
          aggregateKeyType: "IP",
          evaluationWindowSec: WINDOW_SECONDS,
        }),
        ...Object.entries(MANAGED_RULES).map(
          ([name, actions], index): CfnWebACL.RuleProperty => ({
            name,
            priority: 2 + index,
            overrideAction: { none: {} },
            statement: {
              managedRuleGroupStatement: { vendorName: "AWS", name, ruleActionOverrides: countedIn(actions) },
            },
            visibilityConfig: visibleAs(name),
          }),
        ),
      ],
    });
  }

  /** Logs blocked and counted requests, without keys and values of callers. */
  #log(webAcl: CfnWebACL, settings: EnvironmentSettings): void {
    const stack = Stack.of(this);
    const logGroup = new LogGroup(this, "Log", {
      // AWS WAF requires this prefix.
      logGroupName: `aws-waf-logs-${stack.stackName}`,
      retention: settings.logRetention,
      removalPolicy: removalPolicyOf(settings),
    });
    new CfnLoggingConfiguration(this, "Logging", {
      resourceArn: webAcl.attrArn,
      // Without the `:*` suffix of a log group's Arn attribute, which AWS WAF refuses.
      logDestinationConfigs: [
        stack.formatArn({
          service: "logs",
          resource: "log-group",
          resourceName: logGroup.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      redactedFields: [{ singleHeader: { Name: API_KEY_HEADER } }, { queryString: {} }, { uriPath: {} }],
      loggingFilter: {
        DefaultBehavior: "DROP",
        Filters: [
          {
            Behavior: "KEEP",
            Requirement: "MEETS_ANY",
            // The log records EXCLUDED_AS_COUNT if the rule's action is overridden (AWS WAF API, ActionCondition).
            Conditions: ["BLOCK", "COUNT", "EXCLUDED_AS_COUNT"].map((Action) => ({
              ActionCondition: { Action },
            })),
          },
        ],
      },
    });
  }
}

function countedIn(
  actions: Readonly<Record<string, "block" | "count">>,
): CfnWebACL.RuleActionOverrideProperty[] {
  return Object.entries(actions)
    .filter(([, action]) => action === "count")
    .map(([name]) => ({ name, actionToUse: { count: {} } }));
}

function rateRule(
  name: string,
  priority: number,
  rateBasedStatement: CfnWebACL.RateBasedStatementProperty,
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: { rateBasedStatement },
    action: {
      block: {
        customResponse: {
          responseCode: ERROR_STATUS.rate_limited,
          customResponseBodyKey: RATE_LIMITED,
          responseHeaders: [
            { name: "Retry-After", value: String(WINDOW_SECONDS) },
            { name: "Cache-Control", value: "no-store" },
            { name: "X-Content-Type-Options", value: "nosniff" },
          ],
        },
      },
    },
    visibilityConfig: visibleAs(name),
  };
}

/**
 * AWS changes the rules of its groups without a deployment, and a rule that is not listed above blocks. AWS WAF counts
 * all rules of a web ACL together as the rule ALL, and reports only values above 0 (AWS WAF developer guide, "AWS WAF
 * metrics and dimensions").
 */
function requestsBlocked({ stackName, region }: Stack): AlarmDefinition {
  const period = Duration.minutes(5);
  const counted = (metricName: string) =>
    new Metric({
      namespace: "AWS/WAFV2",
      metricName,
      dimensionsMap: { WebACL: stackName, Region: region, Rule: "ALL" },
      statistic: "Sum",
      period,
    });
  const requests = "(FILL(blocked, 0) + FILL(allowed, 0))";
  return {
    metric: new MathExpression({
      label: "Blocked by the web ACL, % of requests",
      expression: `IF(${requests} >= ${FEWEST_REQUESTS}, 100 * FILL(blocked, 0) / ${requests}, 0)`,
      usingMetrics: { blocked: counted("BlockedRequests"), allowed: counted("AllowedRequests") },
      period,
    }),
    above: 50,
    periods: 3,
    breaching: 2,
    description:
      "The web ACL blocks most requests: see whose they are and which rule blocks them, and let it count if they are partners'.",
  };
}

// Sampled requests would store headers, including the caller's key.
function visibleAs(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
