import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { CommandError } from "../../local/machine/command-error.ts";
import { PROJECT, STACK } from "../../local/service/project.ts";
import { startGuarded } from "../guarded-program.ts";
import type { Emulator } from "./emulator.ts";
import { amended } from "./template-amendments.ts";
import type { Workplace } from "./workplace.ts";

const CLI = join(PROJECT, "node_modules", "aws-cdk", "bin", "cdk");
/** `https://<api id>.execute-api.<region>.amazonaws.com/<stage>`, as CloudFormation puts it together. */
const BASE_URL = /^https:\/\/(?<apiId>[^.]+)\.execute-api\.[^/]+\/(?<stage>[^/]+)$/;

/** The project's own `cdk`, talking to the emulator. */
export class Cdk {
  readonly #emulator: Emulator;
  readonly #workplace: Workplace;
  readonly #assembly: string;

  constructor(emulator: Emulator, workplace: Workplace) {
    this.#emulator = emulator;
    this.#workplace = workplace;
    this.#assembly = workplace.folder("assembly");
  }

  /** Writes the cloud assembly, and amends the template where the emulator needs it otherwise. */
  async synth(): Promise<void> {
    await this.#run("synth", STACK, "--quiet", "--output", this.#assembly);
    const template = join(this.#assembly, `${STACK}.template.json`);
    writeFileSync(template, amended(readFileSync(template, "utf8")));
  }

  async bootstrap(): Promise<void> {
    const { account, region } = this.#emulator;
    await this.#runOnAssembly("bootstrap", `aws://${account}/${region}`);
  }

  /** @returns the API's base URL on the emulator */
  async deploy(): Promise<string> {
    const outputsFile = this.#workplace.file("outputs.json");
    await this.#runOnAssembly("deploy", STACK, "--require-approval", "never", "--outputs-file", outputsFile);
    const outputs = z
      .object({ [STACK]: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(outputsFile, "utf8")));
    const [, baseUrl] = Object.entries(outputs[STACK] ?? {}).find(([name]) => name.includes("BaseUrl")) ?? [];
    const { apiId, stage } = BASE_URL.exec(baseUrl ?? "")?.groups ?? {};
    if (!apiId || !stage)
      throw new CommandError(`The stack's output BaseUrl is not the URL of an API: ${baseUrl}.`);
    return this.#emulator.stageUrl(apiId, stage);
  }

  async destroy(): Promise<void> {
    await this.#runOnAssembly("destroy", STACK, "--force");
  }

  async #runOnAssembly(...args: readonly string[]): Promise<void> {
    await this.#run(...args, "--app", this.#assembly);
  }

  async #run(...args: readonly string[]): Promise<void> {
    let output = "";
    const program = startGuarded(process.execPath, [CLI, ...args, "--progress", "events"], {
      cwd: PROJECT,
      env: { ...this.#emulator.clientEnvironment, CI: "true", NO_COLOR: "1" },
      logFile: this.#workplace.file("cdk.log"),
      onOutput: (text) => {
        output += text;
      },
    });
    const code = await program.ended;
    if (code === 0) return;
    const lastWords = output.trim().split("\n").slice(-12).join("\n");
    throw new CommandError(`cdk ${args[0]} ended with code ${code}. Its last output:\n${lastWords}`);
  }
}
