import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { functionRolesOf } from "./roles.ts";

const QUEUE = "arn:aws:sqs:us-east-1:000000000000:deliveries";

const sending = { Statement: [{ Effect: "Allow", Action: "sqs:SendMessage", Resource: QUEUE }] };
const inRole = { Policies: [{ PolicyName: "Permissions", PolicyDocument: sending }] };

/** The roles of a stack with one function. */
function rolesWith(roleProperties: object, others: object = {}) {
  const directory = mkdtempSync(join(tmpdir(), "roles-"));
  const Resources = {
    Send: {
      Type: "AWS::Lambda::Function",
      Properties: {
        FunctionName: "send",
        Role: { "Fn::GetAtt": ["SendRole", "Arn"] },
        LoggingConfig: { LogGroup: "/aws/lambda/send" },
      },
    },
    SendRole: { Type: "AWS::IAM::Role", Properties: roleProperties },
    ...others,
  };
  writeFileSync(join(directory, "service.template.json"), JSON.stringify({ Resources }));
  return functionRolesOf({ directory, stackName: "service" });
}

test("The role audit reads the statements inside a function's role", () => {
  expect(rolesWith(inRole)).toEqual([
    expect.objectContaining({
      functionName: "send",
      statements: [{ Effect: "Allow", Action: ["sqs:SendMessage"], Resource: [QUEUE] }],
    }),
  ]);
});

test("The role audit refuses a role with managed policies, which it does not read", () => {
  const ManagedPolicyArns = ["arn:aws:iam::aws:policy/AdministratorAccess"];
  expect(() => rolesWith({ ...inRole, ManagedPolicyArns })).toThrow(/Grant the actions one by one/);
});

test.each(["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"])(
  "The role audit refuses a stack with an %s, which it does not read",
  (Type) => {
    const beside = { Type, Properties: { Roles: [{ Ref: "SendRole" }], PolicyDocument: sending } };
    expect(() => rolesWith(inRole, { Beside: beside })).toThrow("Beside: put its statements into the role.");
  },
);
