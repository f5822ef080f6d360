import { writeFile } from "node:fs/promises";
import { contractTypes } from "./contract-types.ts";
import { operationRoutes } from "./operation-routes.ts";
import { buildCommand, buildLibrary, declareLibrary } from "./package.ts";

/** `npm run client`: brings types and routes up to date with the contract, then builds the package. */
await writeFile(`${import.meta.dirname}/src/contract-types.ts`, await contractTypes());
await writeFile(`${import.meta.dirname}/src/operations.ts`, operationRoutes());
await buildLibrary(import.meta.dirname);
await declareLibrary(import.meta.dirname);
await buildCommand(import.meta.dirname);
