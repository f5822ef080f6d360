import { readFileSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../local/machine/run-command.ts";
import { pythonEnvironment } from "../../tools/python-environment.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { lacksTool, type Tool } from "./missing-tool.ts";

const VALIDATORS = resolve("tools/validators");
const DESCRIPTION = resolve("docs/openapi.json");
interface Validator {
  readonly language: string;
  readonly library: string;
  /** Programs that must be there. */
  readonly tools: readonly Tool[];
  /** Validates a description, or fails with what is wrong with it. */
  validate(path: string): Promise<unknown>;
}

const validators: readonly Validator[] = [
  {
    language: "Go",
    library: "kin-openapi, its examples too",
    tools: [["go", "version"]],
    validate: (path) => runCommand("go", ["run", ".", path], { cwd: join(VALIDATORS, "go") }),
  },
  {
    language: "Java",
    library: "Swagger Parser",
    tools: [
      ["java", "-version"],
      ["mvn", "-version"],
    ],
    async validate(path) {
      classPath ??= javaClassPath();
      await runCommand("java", ["-cp", await classPath, join(VALIDATORS, "java", "Validate.java"), path]);
    },
  },
  {
    language: "Python",
    library: "openapi-core",
    tools: [["python3", "--version"]],
    async validate(path) {
      const folder = join(VALIDATORS, "python");
      const programs = await pythonEnvironment({
        name: "openapi-core",
        requirements: join(folder, "requirements.txt"),
        onProgress: () => {},
      });
      await runCommand(join(programs, "python"), [join(folder, "validate.py"), path]);
    },
  },
  {
    language: "C#",
    library: "NSwag, whose client compiles",
    tools: [
      ["mono", "--version"],
      ["mcs", "--version"],
    ],
    async validate(path) {
      nswag ??= installedNswag();
      const folder = await nswag;
      const client = join(await temporaryFolder(), "Client.cs");
      await runCommand("mono", [
        join(folder, "NSwag.exe"),
        "openapi2csclient",
        `/input:${path}`,
        `/output:${client}`,
        "/namespace:Candidates",
      ]);
      await runCommand("mcs", ["-target:library", `-lib:${folder}`, ...CSHARP_REFERENCES, client]);
    },
  },
];

let classPath: Promise<string> | undefined;

/** What the dependencies of pom.xml come to, fetched by Maven. */
async function javaClassPath(): Promise<string> {
  const file = join(await temporaryFolder(), "class-path");
  const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath";
  await runCommand("mvn", ["--quiet", "--batch-mode", plugin, `-Dmdep.outputFile=${file}`], {
    cwd: join(VALIDATORS, "java"),
  });
  return readFileSync(file, "utf8");
}

let nswag: Promise<string> | undefined;

/** The folder of NSwag's programs for .NET Framework, which Mono runs, fetched by npm. */
async function installedNswag(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(join(VALIDATORS, "csharp"), folder, { recursive: true });
  await runCommand("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  return join(folder, "node_modules/nswag/bin/binaries/Win");
}

const CSHARP_REFERENCES = [
  "Newtonsoft.Json",
  "System.ComponentModel.DataAnnotations",
  "System.Net.Http",
  "System.Runtime.Serialization",
].map((library) => `-reference:${library}.dll`);

describe.each(validators)(
  "the OpenAPI validator of $language ($library)",
  ({ language, tools, validate }) => {
    const cannotRun = lacksTool(`The validator in ${language}`, tools);

    test.skipIf(cannotRun)("loads docs/openapi.json and refuses an invalid description", async () => {
      const broken = join(await temporaryFolder(), "openapi.json");
      const description = JSON.parse(readFileSync(DESCRIPTION, "utf8"));
      delete description.info.title;
      await writeFile(broken, JSON.stringify(description));

      await validate(DESCRIPTION);

      await expect(validate(broken)).rejects.toSatisfy(({ stdout, stderr }) => /title/.test(stdout + stderr));
    });
  },
);
