import * as z from "zod";
import type { FunctionDefinition } from "./lambda/function-definition.ts";
import { CommandError } from "./machine/command-error.ts";
import type { Template } from "./template.ts";

const LambdaFunction = z.object({
  FunctionName: z.string().optional(),
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  // CloudFormation's defaults.
  Timeout: z.coerce.number().default(3),
  MemorySize: z.coerce.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()) }).optional(),
  ReservedConcurrentExecutions: z.coerce.number().optional(),
  RecursiveLoop: z.enum(["Allow", "Terminate"]).default("Terminate"),
  LoggingConfig: z.object({ ApplicationLogLevel: z.string().optional() }).optional(),
});

/**
 * The template's functions.
 *
 * @param bundles the folder of each bundle, by its key in the asset bucket
 * @throws CommandError if the assembly lacks a bundle
 */
export function readFunctions(
  template: Template,
  bundles: ReadonlyMap<string, string>,
): FunctionDefinition[] {
  return template
    .resourcesOf("AWS::Lambda::Function", LambdaFunction)
    .map(({ logicalId, ref, properties }) => {
      const codeDirectory = bundles.get(properties.Code.S3Key);
      if (codeDirectory === undefined) {
        throw new CommandError(`The assembly lacks the bundle of ${ref}. Synthesise it again.`);
      }
      return {
        name: ref,
        arn: template.attribute(logicalId, "Arn"),
        codeDirectory,
        handler: properties.Handler,
        timeoutSeconds: properties.Timeout,
        memoryMegabytes: properties.MemorySize,
        environment: properties.Environment?.Variables ?? {},
        reservedConcurrency: properties.ReservedConcurrentExecutions,
        allowsRecursion: properties.RecursiveLoop === "Allow",
        logLevel: properties.LoggingConfig?.ApplicationLogLevel,
      };
    });
}
