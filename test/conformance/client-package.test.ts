import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { buildCommand, buildLibrary, writeDeclarations, writeSbom } from "../../client/package.ts";
import { aSubmission } from "../builders/submission.ts";
import { aFeedEvent, aFeedService, timeOf } from "../client/feed-service.ts";
import { examplesIn } from "../client/readme-examples.ts";
import { aService, responds } from "../client/scripted-service.ts";
import { codeSamplesOf } from "../docs/code-samples.ts";
import { operations } from "../docs/description.ts";

const run = promisify(execFile);

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: "es2022",
  types: [],
};

let project: string;

/** The package, packed and installed in an empty folder as an integrator would. */
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "client-package-"));
  const source = join(folder, "source");
  project = join(folder, "project");
  await mkdir(project);
  for (const file of ["package.json", "README.md", "LICENSE", "bin"]) {
    await cp(join("client", file), join(source, file), { recursive: true });
  }
  await Promise.all([
    buildLibrary(source),
    writeDeclarations(source),
    buildCommand(source).then((libraries) => writeSbom(source, libraries)),
  ]);
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: source,
  });
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, tarballIn(stdout))], {
    cwd: project,
  });
});

function tarballIn(packed: string): string {
  return packed.match(/"filename": "([^"]+)"/)?.[1] ?? "";
}

/** Every Node on this machine, the project's own and the system's, by its version. */
async function nodes(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const node = join(folder, "node");
    const version = await run(node, ["--version"]).catch(() => undefined);
    if (version) found.set(version.stdout.trim(), node);
  }
  return found;
}

test("the client's package contains what it needs and has no dependencies", async () => {
  const { stdout } = await run("npm", ["ls", "--all", "--json"], { cwd: project });
  const installed = join(project, "node_modules/@candidate-management/client");

  expect(Object.keys(JSON.parse(stdout).dependencies)).toEqual(["@candidate-management/client"]);
  expect(await readFile(join(installed, "LICENSE"), "utf8")).toBe(await readFile("LICENSE", "utf8"));
  expect(await readFile(join(installed, "dist/client.d.cts"), "utf8")).toContain('from "./options.cjs"');
});

test("the client's package can be imported by each Node.js on this machine", async () => {
  const program = `import * as client from "@candidate-management/client"; console.log(Object.keys(client).sort().join());`;

  for (const [version, node] of await nodes()) {
    const { stdout } = await run(node, ["--input-type=module", "--eval", program], { cwd: project });
    expect(stdout, version).toBe("CandidateServiceClient,CandidateServiceError,verifyWebhook\n");
  }
});

test("the client's package can be required by each Node.js on this machine", async () => {
  const program = `const client = require("@candidate-management/client"); console.log(Object.keys(client).sort().join());`;

  for (const [version, node] of await nodes()) {
    const { stdout } = await run(node, ["--input-type=commonjs", "--eval", program], { cwd: project });
    expect(stdout, version).toBe("CandidateServiceClient,CandidateServiceError,verifyWebhook\n");
  }
});

test("a CommonJS project compiles against the client's types, and runs on each Node.js on this machine", async () => {
  const folder = join(project, "commonjs");
  await mkdir(folder);
  await writeFile(
    join(folder, "program.cts"),
    `import client = require("@candidate-management/client");
     import { CandidateServiceError, type WebhookEvent } from "@candidate-management/client";
     const candidates = new client.CandidateServiceClient({ baseUrl: "http://localhost:1", apiKey: "key", retries: 0 });
     const typeOf = (event: WebhookEvent): string => event.type;
     // @ts-expect-error The id is a text.
     candidates.findCandidate(1).catch((error: unknown) => console.log(String(error)));
     candidates.findCandidate("ext-1").catch((error: unknown) => {
       if (!(error instanceof CandidateServiceError)) throw error;
       console.log(error.code, typeOf.length);
     });`,
  );
  const compilerOptions = {
    ...STRICT,
    lib: ["es2022", "dom", "dom.iterable"],
    noEmit: false,
    module: "node16",
    moduleResolution: "node16",
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));

  await expect(run("tsc", ["--project", folder])).resolves.toMatchObject({ stdout: "" });

  expect(await readFile(join(folder, "program.cjs"), "utf8")).toContain("require(");
  for (const [version, node] of await nodes()) {
    const { stdout } = await run(node, [join(folder, "program.cjs")]);
    expect(stdout, version).toBe(
      "TypeError: externalId: a text of at least one character is expected\nconnection_failed 1\n",
    );
  }
});

test("the client's command runs on each Node.js on this machine", async () => {
  await writeFile(join(project, "candidates.ndjson"), `${JSON.stringify(aSubmission())}\n`);

  for (const [version, node] of await nodes()) {
    const { stdout } = await run(
      node,
      ["node_modules/.bin/candidates", "push", "candidates.ndjson", "--dry-run"],
      { cwd: project },
    );
    expect(stdout, version).toMatch(/^1 row in (?:under )?\d+ s: 1 valid\.\nNothing was sent\.\n$/);
  }
});

test("a clone's command runs on each Node.js on this machine, in any folder and without a build before", async () => {
  const row = aSubmission();
  const command = resolve("client/bin/candidates.js");
  const files = {
    "candidates.ndjson": `${JSON.stringify(row)}\n`,
    "candidates.json": JSON.stringify([row]),
    "candidates.csv": `${Object.keys(row).join()}\n${Object.values(row).join()}\n`,
  };

  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(project, file), text);
    for (const [version, node] of await nodes()) {
      const { stdout, stderr } = await run(node, [command, "push", file, "--dry-run"], { cwd: project });
      expect(stdout, `${file} with ${version}`).toMatch(/^1 row in (?:under )?\d+ s: 1 valid\.\n/);
      expect(stderr, `${file} with ${version}`).toBe("");
    }
  }
});

test("the client's command forwards events on each Node.js on this machine", async () => {
  const receiver = await aService(responds(204));
  const feed = await aFeedService(aFeedEvent(1));

  for (const [version, node] of await nodes()) {
    const options = ["--url", feed.baseUrl, "--key", "rr_dev_secret", "--since", timeOf(0), "--json"];
    const listen = spawn(
      node,
      ["node_modules/.bin/candidates", "listen", "--forward-to", receiver.baseUrl, ...options],
      { cwd: project, env: { ...process.env, HOME: project }, stdio: ["ignore", "pipe", "ignore"] },
    );
    const [line] = await once(listen.stdout, "data");
    listen.kill("SIGINT");
    const [code] = await once(listen, "close");

    expect(JSON.parse(String(line)), version).toMatchObject({ eventId: "evt_1", statusCode: 204 });
    expect(code, version).toBe(0);
  }
});

test("the client's package contains the licences of the libraries bundled in its command", async () => {
  const licenses = await readFile(
    join(project, "node_modules/@candidate-management/client/dist/candidates-licenses.txt"),
    "utf8",
  );

  for (const library of ["commander", "csv-parse", "stream-json", "zod"]) {
    expect(licenses).toContain((await readFile(`node_modules/${library}/LICENSE`, "utf8")).trim());
  }
});

test("the client's package lists the libraries bundled in its command for machines", async () => {
  const sbom = JSON.parse(
    await readFile(join(project, "node_modules/@candidate-management/client/dist/sbom.cdx.json"), "utf8"),
  );
  const { dependencies } = JSON.parse(await readFile("package.json", "utf8"));

  expect(sbom).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "@candidate-management/client" } },
  });
  const listed = sbom.components.map(({ purl }: { purl: string }) => purl);
  for (const library of ["commander", "csv-parse", "stream-json", "zod"]) {
    expect(listed).toContain(`pkg:npm/${library}@${dependencies[library]}`);
  }
  expect(listed.join()).not.toContain("aws");
});

test("the client imports nothing and uses no global that a worker lacks", async () => {
  const code = await readFile(
    join(project, "node_modules/@candidate-management/client/dist/index.js"),
    "utf8",
  );

  expect(code).not.toMatch(/\bimport\s*[({"']|\bfrom\s*["']|\brequire\b/);
  expect(code).not.toMatch(/\b(?:process|Buffer|__dirname|window|document|global|Deno|Bun)\b/);
});

test("the README's examples and the reference's samples compile against the client's types", async () => {
  const samples = operations
    .flatMap(({ operation }) => codeSamplesOf(operation))
    .filter(({ lang }) => lang === "typescript");
  const examples = [...(await examplesIn("client/README.md")), ...samples.map(({ source }) => source)];
  expect(samples.length).toBeGreaterThan(10);
  for (const [at, example] of examples.entries()) {
    await writeFile(join(project, `example-${at}.ts`), example);
  }
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        ...STRICT,
        lib: ["es2022", "dom", "dom.iterable"],
        noEmit: true,
        module: "nodenext",
      },
      include: ["*.ts"],
    }),
  );
  // The examples' only word of Node's: the client itself must not need its types.
  await writeFile(
    join(project, "environment.d.ts"),
    "declare const process: { readonly env: Readonly<Record<string, string | undefined>> };\n",
  );

  await expect(run("tsc", ["--project", project])).resolves.toMatchObject({ stdout: "" });
});
