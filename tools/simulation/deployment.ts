import { type Assembly, readAssembly } from "../../local/assembly.ts";
import { STACK } from "../../local/service/project.ts";
import { synthesise } from "../../local/service/synthesis.ts";
import { type Functions, loadFunctions } from "./functions.ts";

/** What is simulated: the service as it would be deployed. */
export interface Deployment {
  readonly assembly: Assembly;
  readonly functions: Functions;
}

/** Synthesises the stack of the development environment into a folder. */
export function synthesiseDeployment(directory: string): Promise<void> {
  return synthesise(directory);
}

/** Reads the synthesised stack, and loads the functions from their sources. */
export async function loadDeployment(directory: string): Promise<Deployment> {
  const assembly = readAssembly({ directory, stackName: STACK, queuesEndpoint: "http://queues" });
  return { assembly, functions: await loadFunctions(assembly.functions) };
}
