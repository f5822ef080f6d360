import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { environments } from "../../infra/environments.ts";

/** Each environment's stack name and template, from the folder of a cloud assembly. */
export function templatesIn(assembly: string): [string, Template][] {
  return environments.map(({ name }) => {
    const stackName = `CandidateService-${name}`;
    const file = join(assembly, `${stackName}.template.json`);
    return [stackName, Template.fromJSON(JSON.parse(readFileSync(file, "utf8")))];
  });
}
