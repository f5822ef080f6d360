import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { ERROR_STATUS, type ErrorEnvelope } from "#contract/errors";

/** How many requests are let through in five minutes. */
export interface EdgeRates {
  readonly perKey: number;
  readonly perAddress: number;
}

interface EdgeProtectionProps {
  readonly rates: EdgeRates;
  readonly stage: Stage;
}

const RATE_LIMITED = "RateLimited";
const WINDOW_SECONDS = 300;

/** What AWS keeps of known attackers and attacks (AWS WAF managed rule groups). */
const MANAGED_RULE_GROUPS = [
  "AWSManagedRulesAmazonIpReputationList",
  "AWSManagedRulesKnownBadInputsRuleSet",
  "AWSManagedRulesCommonRuleSet",
] as const;

/**
 * Rules of the common group that look into bodies. A candidate's texts are any texts, and a body may be
 * 4 MiB where the group blocks at 8 KB: the contract's schemas judge bodies, these rules only count.
 */
const COUNTED_RULES = [
  "SizeRestrictions_BODY",
  "CrossSiteScripting_BODY",
  "GenericLFI_BODY",
  "GenericRFI_BODY",
  "EC2MetaDataSSRF_BODY",
] as const;

/** A web ACL before the API: limits per key and per address, and AWS's managed rules. */
export class EdgeProtection extends Construct {
  constructor(scope: Construct, id: string, { rates, stage }: EdgeProtectionProps) {
    super(scope, id);
    const envelope: ErrorEnvelope = {
      error: "rate_limited",
      message: "Too many requests. Repeat this one after the seconds in Retry-After.",
    };
    const webAcl = new CfnWebACL(this, "WebAcl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibleAs("WebAcl"),
      customResponseBodies: {
        [RATE_LIMITED]: { contentType: "APPLICATION_JSON", content: JSON.stringify(envelope) },
      },
      rules: [
        rateRule("RatePerKey", 0, {
          limit: rates.perKey,
          aggregateKeyType: "CUSTOM_KEYS",
          customKeys: [
            { header: { name: "X-API-Key", textTransformations: [{ priority: 0, type: "NONE" }] } },
          ],
          evaluationWindowSec: WINDOW_SECONDS,
        }),
        rateRule("RatePerAddress", 1, {
          limit: rates.perAddress,
          aggregateKeyType: "IP",
          evaluationWindowSec: WINDOW_SECONDS,
        }),
        ...MANAGED_RULE_GROUPS.map(
          (name, index): CfnWebACL.RuleProperty => ({
            name,
            priority: 2 + index,
            overrideAction: { none: {} },
            statement: {
              managedRuleGroupStatement: {
                vendorName: "AWS",
                name,
                ...(name === "AWSManagedRulesCommonRuleSet" && {
                  ruleActionOverrides: COUNTED_RULES.map((rule) => ({
                    name: rule,
                    actionToUse: { count: {} },
                  })),
                }),
              },
            },
            visibilityConfig: visibleAs(name),
          }),
        ),
      ],
    });
    new CfnWebACLAssociation(this, "Association", {
      resourceArn: stage.stageArn,
      webAclArn: webAcl.attrArn,
    });
  }
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
          ],
        },
      },
    },
    visibilityConfig: visibleAs(name),
  };
}

// Sampled requests would keep headers, the caller's key among them.
function visibleAs(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
