import type { Template } from "aws-cdk-lib/assertions";

interface WebAcl {
  readonly Properties: {
    readonly Rules: readonly {
      readonly Name: string;
      readonly OverrideAction?: object;
      readonly Statement: {
        readonly ManagedRuleGroupStatement?: {
          readonly Name: string;
          readonly RuleActionOverrides?: readonly { readonly Name: string; readonly ActionToUse: object }[];
        };
      };
    }[];
  };
}

/** The managed groups of a template's web ACL, each with the rules that it sets to count. */
export function countedRules(template: Template): Map<string, readonly string[]> {
  const [webAcl] = Object.values(template.findResources("AWS::WAFv2::WebACL")) as WebAcl[];
  return new Map(
    webAcl?.Properties.Rules.flatMap(({ Statement: { ManagedRuleGroupStatement: group } }) => {
      if (!group) return [];
      const counted = (group.RuleActionOverrides ?? []).filter(({ ActionToUse }) => "Count" in ActionToUse);
      return [[group.Name, counted.map(({ Name }) => Name)] as const];
    }),
  );
}
