import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type EventSourceDefinition, readEventSources } from "../../local/event-sources/definition.ts";
import { ACCOUNT, REGION, Template } from "../../local/template.ts";
import { Statement } from "./audit.ts";
import type { IamRequest } from "./iam-requests.ts";

/** A function of the stack, and what its role is for. */
export interface FunctionRole {
  readonly functionName: string;
  readonly statements: readonly Statement[];
  /** What Lambda itself asks of IAM in the role's name, because the template says so. */
  readonly byLambda: readonly IamRequest[];
}

const Resources = z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown().optional() }));

const FunctionProperties = z.object({
  FunctionName: z.unknown(),
  Role: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }),
  LoggingConfig: z.object({ LogGroup: z.unknown() }),
  TracingConfig: z.object({ Mode: z.string() }).optional(),
});

// What a role is given elsewhere than in policies inside it would escape the audit.
const RoleProperties = z.object({
  Policies: z.array(z.object({ PolicyDocument: z.object({ Statement: z.array(z.unknown()) }) })),
  ManagedPolicyArns: z.undefined({ error: "Grant the actions one by one." }).optional(),
});

const POLICIES_BESIDE_ROLES = ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"];

/** The functions of a synthesised stack, with what they reference named as on the local stack. */
export function functionRolesOf({
  directory,
  stackName,
}: {
  readonly directory: string;
  readonly stackName: string;
}): FunctionRole[] {
  const json = JSON.parse(readFileSync(join(directory, `${stackName}.template.json`), "utf8"));
  const template = new Template(json, { stackName, queuesEndpoint: "http://127.0.0.1" });
  const resources = Object.entries(Resources.parse(json.Resources));
  const propertiesOf = (type: string) =>
    resources
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties }]) => [id, Properties] as const);

  for (const [id, { Type }] of resources) {
    if (POLICIES_BESIDE_ROLES.includes(Type)) throw new Error(`${id}: put its statements into the role.`);
  }
  const eventSources = readEventSources(template);
  return propertiesOf("AWS::Lambda::Function").map(([, properties]) => {
    const parsed = FunctionProperties.parse(properties);
    const functionName = String(template.resolve(parsed.FunctionName));
    const [roleId] = parsed.Role["Fn::GetAtt"];
    const { Policies } = RoleProperties.parse(
      propertiesOf("AWS::IAM::Role").find(([id]) => id === roleId)?.[1],
    );
    return {
      functionName,
      statements: Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).map((statement) =>
        Statement.parse(template.resolve(statement)),
      ),
      byLambda: [
        ...logging(String(template.resolve(parsed.LoggingConfig.LogGroup))),
        ...(parsed.TracingConfig?.Mode === "Active" ? tracing : []),
        ...eventSources.filter((source) => source.functionName === functionName).flatMap(polling),
      ],
    };
  });
}

/** Lambda writes a function's log in the role's name (AWS Lambda, "Execution role"). */
function logging(logGroup: string): IamRequest[] {
  const resource = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${logGroup}:log-stream:local`;
  return [
    { action: "logs:CreateLogStream", resource },
    { action: "logs:PutLogEvents", resource },
  ];
}

/** What active tracing sends (AWS Lambda, "Visualize Lambda function invocations using AWS X-Ray"). */
const tracing: readonly IamRequest[] = [
  { action: "xray:PutTraceSegments", resource: "*" },
  { action: "xray:PutTelemetryRecords", resource: "*" },
];

/**
 * What an event source mapping does in the role's name: the actions of AWS's own policies for it,
 * AWSLambdaSQSQueueExecutionRole and AWSLambdaDynamoDBExecutionRole.
 */
function polling(source: EventSourceDefinition): IamRequest[] {
  if (source.kind === "queue") {
    return ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes"].map((operation) => ({
      action: `sqs:${operation}`,
      resource: source.queueArn,
    }));
  }
  return [
    ...["DescribeStream", "GetRecords", "GetShardIterator"].map((operation) => ({
      action: `dynamodb:${operation}`,
      resource: source.streamArn,
    })),
    { action: "dynamodb:ListStreams", resource: "*" },
    ...(source.onFailure ? [{ action: "sqs:SendMessage", resource: source.onFailure }] : []),
  ];
}
