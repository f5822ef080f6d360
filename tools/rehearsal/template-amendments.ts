import * as z from "zod";

/** A change to the synthesised template, for something that is otherwise here than on AWS. */
interface Amendment {
  readonly name: string;
  readonly reason: string;
  /** The resource as the emulator gets it: itself where it does not concern the amendment, if at all. */
  amend(resource: Resource, resources: Readonly<Record<string, Resource>>): Resource | undefined;
}

const Resource = z.looseObject({ Type: z.string() });
type Resource = z.infer<typeof Resource>;

const Template = z.looseObject({ Resources: z.record(z.string(), Resource) });

const Statement = z.looseObject({ Action: z.unknown(), Resource: z.unknown() });
type Statement = z.infer<typeof Statement>;

const RoleWithPolicies = z.looseObject({
  Type: z.literal("AWS::IAM::Role"),
  Properties: z.looseObject({
    Policies: z.array(z.looseObject({ PolicyDocument: z.looseObject({ Statement: z.array(Statement) }) })),
  }),
});

const LambdaFunction = z.looseObject({
  Type: z.literal("AWS::Lambda::Function"),
  Properties: z.looseObject({
    Timeout: z.number(),
    Environment: z.looseObject({ Variables: z.record(z.string(), z.unknown()) }),
  }),
});

const AlarmOnMetricMath = z.looseObject({
  Type: z.literal("AWS::CloudWatch::Alarm"),
  Properties: z.looseObject({ Metrics: z.array(z.unknown()) }),
});

const Stage = z.looseObject({
  Type: z.literal("AWS::ApiGateway::Stage"),
  Properties: z.looseObject({
    MethodSettings: z.array(
      z.looseObject({ ThrottlingRateLimit: z.number(), ThrottlingBurstLimit: z.number() }),
    ),
  }),
});

const Reference = z.strictObject({ Ref: z.string() });

/** Forty instances of a function, started at once on two processors, took more than 10 s. */
const SHORTEST_TIMEOUT_SECONDS = 60;
/** Requests per second that an account may have on all its stages (Amazon API Gateway quotas). */
const API_GATEWAY_RATE = 10_000;

export const amendments: readonly Amendment[] = [
  {
    name: "Policies name the keyring by its ARN.",
    reason:
      "On AWS, Ref of a secret is its ARN; the emulator returns its name, which matches nothing as a policy's resource.",
    amend: (resource, resources) =>
      withStatements(resource, (statement) => {
        const { data: reference } = Reference.safeParse(statement.Resource);
        if (!reference || resources[reference.Ref]?.Type !== "AWS::SecretsManager::Secret") return statement;
        const arn = `arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:\${${reference.Ref}}-*`;
        return { ...statement, Resource: { "Fn::Sub": arn } };
      }),
  },
  {
    name: "Permission to send a message includes sending a batch.",
    reason: "AWS authorises SendMessageBatch with sqs:SendMessage; the emulator requires a separate action.",
    amend: (resource) =>
      withStatements(resource, (statement) => {
        const actions = [statement.Action].flat();
        if (!actions.includes("sqs:SendMessage")) return statement;
        return { ...statement, Action: [...actions, "sqs:SendMessageBatch"] };
      }),
  },
  {
    name: "Alarms on metric math are left out.",
    reason:
      "The emulator's CloudFormation refuses them: Properties.Metrics (metric math) is not supported; use MetricName and Namespace.",
    amend: (resource) => (AlarmOnMetricMath.safeParse(resource).success ? undefined : resource),
  },
  {
    name: `Functions have a timeout of at least ${SHORTEST_TIMEOUT_SECONDS} s.`,
    reason:
      "AWS starts each execution environment on its own processor; here a whole burst starts at once on this machine's.",
    amend(resource) {
      const { data: definition } = LambdaFunction.safeParse(resource);
      if (!definition) return resource;
      const Timeout = Math.max(SHORTEST_TIMEOUT_SECONDS, definition.Properties.Timeout);
      return { ...definition, Properties: { ...definition.Properties, Timeout } };
    },
  },
  {
    name: "The stage admits 10,000 requests a second.",
    reason: "The end-to-end tests send more than the development stage's limit, and got 429.",
    amend(resource) {
      const { data: stage } = Stage.safeParse(resource);
      if (!stage) return resource;
      for (const settings of stage.Properties.MethodSettings) {
        settings.ThrottlingRateLimit = API_GATEWAY_RATE;
        settings.ThrottlingBurstLimit = API_GATEWAY_RATE;
      }
      return stage;
    },
  },
  {
    name: "Deliveries may reach this machine.",
    reason: "The end-to-end tests receive webhooks on loopback, which a deployed service refuses.",
    amend(resource) {
      const { data: definition } = LambdaFunction.safeParse(resource);
      if (!definition || !("ALLOWED_WEBHOOK_NETWORKS" in definition.Properties.Environment.Variables)) {
        return resource;
      }
      definition.Properties.Environment.Variables["ALLOWED_WEBHOOK_NETWORKS"] = "127.0.0.0/8,::1/128";
      return definition;
    },
  },
];

/** The synthesised template as the emulator gets it. */
export function amended(templateJson: string): string {
  const template = Template.parse(JSON.parse(templateJson));
  for (const { amend } of amendments) {
    template.Resources = Object.fromEntries(
      Object.entries(template.Resources).flatMap(([logicalId, resource]) => {
        const kept = amend(resource, template.Resources);
        return kept ? [[logicalId, kept]] : [];
      }),
    );
  }
  return JSON.stringify(template, undefined, 1);
}

/** The resource with each statement changed, where it is a role with policies. */
function withStatements(resource: Resource, change: (statement: Statement) => Statement): Resource {
  const { data: role } = RoleWithPolicies.safeParse(resource);
  if (!role) return resource;
  for (const { PolicyDocument } of role.Properties.Policies) {
    PolicyDocument.Statement = PolicyDocument.Statement.map(change);
  }
  return role;
}
