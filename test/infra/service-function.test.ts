import { App, Duration, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import { expect, test } from "vitest";
import { environments } from "../../infra/environments.ts";
import { ServiceFunction } from "../../infra/service-function.ts";

const [settings] = environments;
if (!settings) throw new Error("The service has environments.");

test("another RecursiveLoop makes no version, since Lambda refuses a second one of the same code", () => {
  const versionsWith = (recursiveLoop: RecursiveLoop) => {
    const stack = new Stack(new App());
    const deployed = new ServiceFunction(stack, "RefuseMethod", {
      settings,
      description: "Refuses a method.",
      memorySize: 128,
      timeout: Duration.seconds(1),
      recursiveLoop,
      grants: [],
    });
    void deployed.currentVersion;
    return Object.keys(Template.fromStack(stack).findResources("AWS::Lambda::Version"));
  };

  expect(versionsWith(RecursiveLoop.ALLOW)).toEqual(versionsWith(RecursiveLoop.TERMINATE));
});
