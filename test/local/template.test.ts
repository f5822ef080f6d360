import { expect, test } from "vitest";
import { Template } from "../../local/template.ts";

const template = new Template({ Resources: {} }, { stackName: "S", queuesEndpoint: "http://localhost" });

test("An unknown intrinsic function in the template is refused with its name", () => {
  expect(() => template.resolve({ "Fn::Cidr": [] })).toThrow(/uses Fn::Cidr, which/);
});

test("A reference to a resource that the template lacks is refused with its name", () => {
  expect(() => template.resolve({ Ref: "Nothing" })).toThrow(/references Nothing \(no resource\)/);
});

test("Pseudo parameters in a text are replaced by their values", () => {
  expect(template.resolve({ "Fn::Sub": `\${AWS::Partition}-\${AWS::StackName}` })).toBe("aws-S");
});
