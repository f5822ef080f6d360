import { statSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contractTypes } from "./contract-types.ts";
import { operationRoutes } from "./operation-routes.ts";
import { buildCommand, buildLibrary, declareLibrary, listLibraries } from "./package.ts";

/** `npm run client`: brings types and routes up to date with the contract, then builds the package. */
const folder = import.meta.dirname;
await writeFile(`${folder}/src/contract-types.ts`, await contractTypes());
await writeFile(`${folder}/src/operations.ts`, operationRoutes());
process.stdout.write("Wrote client/src/contract-types.ts and client/src/operations.ts from the contract.\n");
await buildLibrary(folder);
await declareLibrary(folder);
await listLibraries(folder, await buildCommand(folder));
const sizes = (await readdir(`${folder}/dist`)).map((file) => statSync(join(folder, "dist", file)).size);
const kilobytes = Math.round(sizes.reduce((total, size) => total + size, 0) / 1000);
process.stdout.write(`Built the package into client/dist: ${sizes.length} files, ${kilobytes} kB.\n`);
