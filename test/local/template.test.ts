import { expect, test } from "vitest";
import { functionNameIn, Template } from "../../local/template.ts";

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

test("Intrinsic functions are resolved, also inside one another", () => {
  const text = { "Fn::Join": ["/", ["a", { Ref: "AWS::Region" }, "b"]] };

  expect(template.resolve([text])).toEqual(["a/us-east-1/b"]);
  expect(template.resolve({ "Fn::Select": ["1", { "Fn::Split": ["/", text] }] })).toBe("us-east-1");
});

test("An object with another member beside one named Ref is no reference", () => {
  expect(template.resolve({ Ref: "AWS::Region", Other: 1 })).toEqual({ Ref: "AWS::Region", Other: 1 });
});

test.each([
  "consume",
  "consume:live",
  "000000000000:function:consume",
  "000000000000:consume",
  "arn:aws:lambda:us-east-1:000000000000:function:consume:live",
])("The function of %s is consume", (reference) => {
  expect(functionNameIn(reference)).toBe("consume");
});

test("An attribute of a resource in a text is replaced by its value, and a generated name begins with the stack's", () => {
  const Work = { Type: "AWS::SQS::Queue", Properties: {} };
  const withQueue = new Template(
    { Resources: { Work } },
    { stackName: "S", queuesEndpoint: "http://localhost" },
  );

  expect(withQueue.resolve({ "Fn::Sub": `to \${Work.Arn}` })).toBe(
    "to arn:aws:sqs:us-east-1:000000000000:S-Work",
  );
});
