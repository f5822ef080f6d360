import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import type { EnvironmentSettings } from "../../infra/environment-settings.ts";

type NamedTemplate = [stackName: string, template: Template];

/** Each environment's stack name and template, from the folder of a cloud assembly. */
export function templatesIn(assembly: string): [development: NamedTemplate, production: NamedTemplate] {
  const templateOf = (name: EnvironmentSettings["name"]): NamedTemplate => {
    const stackName = `CandidateService-${name}`;
    const file = join(assembly, `${stackName}.template.json`);
    return [stackName, Template.fromJSON(JSON.parse(readFileSync(file, "utf8")))];
  };
  return [templateOf("development"), templateOf("production")];
}

/** The resources of a type in a template, by logical id. */
export function resourcesIn(template: Template) {
  return (type: string) =>
    Object.entries(template.findResources(type)) as [string, { Properties: Record<string, unknown> }][];
}
