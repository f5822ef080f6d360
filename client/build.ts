// `npm run client`: brings types and routes up to date with the contract, then builds the package.
import { readdir, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { contractTypes } from "./generate-contract-types.ts";
import { operationRoutes } from "./generate-operation-routes.ts";
import { buildCommand, buildLibrary, writeDeclarations, writeSbom } from "./package.ts";

const client = import.meta.dirname;

await writeFile(`${client}/src/contract-types.ts`, await contractTypes());
await writeFile(`${client}/src/operations.ts`, operationRoutes());
await buildLibrary(client);
await writeDeclarations(client);
await writeSbom(client, await buildCommand(client));

const built = (await readdir(`${client}/dist`)).map((name) => `dist/${name}`).sort();
for (const file of ["src/contract-types.ts", "src/operations.ts", ...built]) {
  const path = join(client, file);
  const { size } = await stat(path);
  process.stdout.write(
    `${relative(process.cwd(), path)}  ${Math.ceil(size / 1000).toLocaleString("en")} kB\n`,
  );
}
