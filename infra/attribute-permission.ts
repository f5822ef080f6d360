import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";

/**
 * Without these, a response could have attributes that the request does not name. Each operation has the condition key
 * of its own parameter (Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB").
 */
const ONLY_NAMED_ATTRIBUTES = {
  GetItem: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
  UpdateItem: { "dynamodb:ReturnValues": "NONE" },
} as const;

export type AttributeAction = keyof typeof ONLY_NAMED_ATTRIBUTES;

interface AttributePermission {
  /** The items, by the prefix of their partition key. */
  readonly kind: string;
  readonly action: AttributeAction;
  /** The attributes besides the key. */
  readonly names: readonly string[];
}

/**
 * Allows an operation for some attributes of items of one kind only (Amazon DynamoDB developer guide, "Using IAM policy
 * conditions for fine-grained access control", which requires the keys among the attributes).
 */
export function attributePermission(
  tableArn: string,
  { kind, action, names }: AttributePermission,
): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [`dynamodb:${action}`],
    resources: [tableArn],
    conditions: {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${kind}#*`] },
      "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", ...names] },
      StringEqualsIfExists: ONLY_NAMED_ATTRIBUTES[action],
    },
  });
}
