import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";

const Manifest = z.object({ name: z.string(), version: z.string() });
const Component = z.looseObject({ "bom-ref": z.string() });
const Sbom = z.looseObject({
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
});

/**
 * The software bill of materials of the package, in CycloneDX: `npm sbom` of the project, reduced to the libraries
 * that the command's bundle holds.
 *
 * @param libraries their folders
 */
export async function sbomOf(libraries: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    "npm",
    ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"],
    { cwd: join(import.meta.dirname, ".."), maxBuffer: 64 * 2 ** 20 },
  );
  // A number and a time of its own would make every build another one.
  const { serialNumber, dependencies, metadata, components, ...sbom } = Sbom.parse(JSON.parse(stdout));
  const client = await manifestOf(import.meta.dirname);
  const ref = referenceTo(client);
  const held = (await Promise.all(libraries.map(manifestOf))).map(referenceTo);
  const component = components.find((one) => one["bom-ref"] === ref);
  const { timestamp, ...kept } = metadata;
  return `${JSON.stringify(
    {
      ...sbom,
      metadata: { ...kept, component: { ...component, name: client.name } },
      components: components.filter((one) => held.includes(one["bom-ref"])),
      dependencies: [{ ref, dependsOn: held }, ...held.map((library) => ({ ref: library }))],
    },
    undefined,
    2,
  )}\n`;
}

async function manifestOf(folder: string): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
}

/** A package as `npm sbom` refers to it. */
function referenceTo({ name, version }: z.infer<typeof Manifest>): string {
  return `${name}@${version}`;
}
