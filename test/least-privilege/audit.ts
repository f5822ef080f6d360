import { runSimulation } from "@cloud-copilot/iam-simulate";
import * as z from "zod";
import { ACCOUNT } from "../../local/template.ts";
import type { IamRequest } from "./iam-requests.ts";

const OneOrMore = z
  .union([z.string(), z.array(z.string())])
  .transform((value): readonly string[] => [value].flat());

/** A statement of a role's policy. What it may not be, `NotAction` above all, grants what nobody listed. */
export const Statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Action: OneOrMore,
  Resource: OneOrMore,
  Condition: z.record(z.string(), z.record(z.string(), OneOrMore)).optional(),
});
export type Statement = z.infer<typeof Statement>;

/** What a role and its function's requests do not have in common. */
export interface RoleAudit {
  /** The requests that the role would refuse. */
  readonly refused: readonly string[];
  /** The grants, by action, resource and kind of item, that no request needs. */
  readonly unused: readonly string[];
}

/** For a request that returns whole items. */
const EVERY_ATTRIBUTE = ["every attribute"];

/** Holds a role's statements against what is asked of IAM in its name. */
export async function audit(
  statements: readonly Statement[],
  requests: readonly IamRequest[],
): Promise<RoleAudit> {
  const [allowed, used] = await Promise.all([
    Promise.all(requests.map((request) => allows(statements, request))),
    Promise.all(grantsOf(statements).map(async (grant) => ({ grant, used: await isUsed(grant, requests) }))),
  ]);
  return {
    refused: requests.filter((_, index) => !allowed[index]).map(describeRequest),
    unused: used.filter(({ used }) => !used).map(({ grant }) => describeGrant(grant)),
  };
}

async function isUsed(grant: Statement, requests: readonly IamRequest[]): Promise<boolean> {
  for (const request of requests) {
    if (await allows([grant], request)) return true;
  }
  return false;
}

async function allows(
  statements: readonly Statement[],
  { action, resource, leadingKeys, attributes }: IamRequest,
): Promise<boolean> {
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${ACCOUNT}:role/audited`,
        action,
        resource: { resource, accountId: ACCOUNT },
        contextVariables: {
          ...(leadingKeys && {
            "dynamodb:LeadingKeys": [...leadingKeys],
            "dynamodb:Attributes": [...(attributes ?? EVERY_ATTRIBUTE)],
            "dynamodb:Select": attributes ? "SPECIFIC_ATTRIBUTES" : "ALL_ATTRIBUTES",
          }),
        },
      },
      identityPolicies: [{ name: "role", policy: { Version: "2012-10-17", Statement: statements } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  return result.resultType !== "error" && result.overallResult === "Allowed";
}

/** The statements that allow, taken apart: one action on one resource and one kind of item each. */
function grantsOf(statements: readonly Statement[]): Statement[] {
  return statements
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap(byKindOfItem)
    .flatMap((statement) =>
      statement.Action.flatMap((action) =>
        statement.Resource.map((resource) => ({ ...statement, Action: [action], Resource: [resource] })),
      ),
    );
}

function byKindOfItem(statement: Statement): Statement[] {
  const { "dynamodb:LeadingKeys": kinds, ...others } = statement.Condition?.["ForAllValues:StringLike"] ?? {};
  if (!kinds) return [statement];
  return kinds.map((kind) => ({
    ...statement,
    Condition: {
      ...statement.Condition,
      "ForAllValues:StringLike": { ...others, "dynamodb:LeadingKeys": [kind] },
    },
  }));
}

function describeRequest({ action, resource, leadingKeys, attributes }: IamRequest): string {
  const items = leadingKeys ? ` for ${leadingKeys.join(", ")}` : "";
  return `${action} on ${resource}${items}${attributes ? ` of ${attributes.join(", ")}` : ""}`;
}

function describeGrant({ Action, Resource, Condition }: Statement): string {
  return `${Action} on ${Resource}${Condition ? ` if ${JSON.stringify(Condition)}` : ""}`;
}
