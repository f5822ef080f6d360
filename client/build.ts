import { writeFile } from "node:fs/promises";
import { contractTypes } from "./contract-types.ts";
import { buildCommand, buildLibrary, declareLibrary } from "./package.ts";

/** `npm run client`: brings the types up to date with the contract, then builds the package. */
await writeFile(`${import.meta.dirname}/src/contract-types.ts`, await contractTypes());
await buildLibrary(import.meta.dirname);
await declareLibrary(import.meta.dirname);
await buildCommand(import.meta.dirname);
