import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { OperationDefinition } from "#contract/operation-definition";

/** A program in one language that calls an operation (`x-codeSamples`). */
interface CodeSample {
  /** The language's name at the fence of a code block. */
  readonly lang: "shell" | "typescript" | "python" | "go";
  readonly label: string;
  readonly source: string;
}

interface Call {
  readonly operationId: string;
  readonly method: OperationDefinition["method"];
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly hasResponse: boolean;
}

const { name: CLIENT, version: CLIENT_VERSION } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../client/package.json"), "utf8"),
) as { name: string; version: string };

/** What `npm pack` names the client, which is on no registry. */
const CLIENT_TARBALL = `${CLIENT.replace("@", "").replace("/", "-")}-${CLIENT_VERSION}.tgz`;

/** The variables from which a sample takes the ids in its path, as the guides name them. */
const ID_VARIABLES: Readonly<Record<string, string>> = {
  eventId: "EVENT_ID",
  recoveryId: "RECOVERY_ID",
};

/** What a sample uses for a parameter that is no id. */
const VALUES: Readonly<Record<string, string>> = { transition: "verify" };

/** The member of a body of which the client's method takes the value alone. */
const CLIENT_TAKES: Readonly<Record<string, string>> = { createCandidateBatch: "candidates" };

/** The values of required query parameters. */
const QUERY_VALUES: Readonly<Record<string, string>> = { externalId: "ext-1001" };

/**
 * The samples of an operation: whole programs, which take the base URL and the key from `BASE` and `KEY`.
 *
 * @param body the body that they send; undefined for none
 */
export function codeSamples(row: OperationDefinition, body: unknown): readonly CodeSample[] {
  const required = Object.entries(row.query?.shape ?? {}).filter(
    ([, schema]) => !z.safeParse(schema, undefined).success,
  );
  const call: Call = {
    ...row,
    query: Object.fromEntries(required.map(([name]) => [name, QUERY_VALUES[name] ?? ""])),
    body: row.optionalBody ? undefined : body,
    hasResponse: row.response !== undefined,
  };
  return [
    { lang: "shell", label: "curl", source: curl(call) },
    { lang: "typescript", label: "TypeScript", source: typescript(call) },
    { lang: "python", label: "Python", source: python(call) },
    { lang: "go", label: "Go", source: go(call) },
  ];
}

/** The path with each parameter replaced. */
function filled(path: string, variable: (name: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? variable(variableOf(name, path)));
}

function variableOf(parameter: string, path: string): string {
  return ID_VARIABLES[parameter] ?? (path.startsWith("/v1/webhook-endpoints") ? "ENDPOINT_ID" : "ID");
}

function curl({ method, path, query, body, hasResponse }: Call): string {
  const url = `"$BASE${filled(path, (name) => `$${name}`)}${searchOf(query)}"`;
  const options = [
    // Of a response without a body the status is all that there is to see.
    hasResponse ? "curl -sS" : "curl -sSi",
    method === "GET" || (method === "POST" && body !== undefined) ? "" : ` -X ${method}`,
    ` ${url} -H "X-API-Key: $KEY"`,
  ].join("");
  if (body === undefined) return options;
  const json = JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''");
  return `${options} \\\n  -H 'Content-Type: application/json' -d '${json}'`;
}

function typescript({ operationId, path, query, body, hasResponse }: Call): string {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    VALUES[name] ? JSON.stringify(VALUES[name]) : `process.env.${variableOf(name, path)} ?? ""`,
  );
  const member = CLIENT_TAKES[operationId];
  const taken = member ? (body as Readonly<Record<string, unknown>>)[member] : body;
  const json = JSON.stringify(taken, undefined, 2)?.replaceAll(/^(\s*)"(\w+)":/gm, "$1$2:");
  const args = [
    ...ids,
    ...Object.values(query).map((value) => JSON.stringify(value)),
    ...(json ? [json] : []),
  ];
  const call = `await client.${operationId}(${args.join(", ")});`;
  return `// The client's guide says where its tarball comes from.
// npm install ./${CLIENT_TARBALL}
import { CandidateServiceClient } from "${CLIENT}";

const client = new CandidateServiceClient({
  baseUrl: process.env.BASE ?? "",
  apiKey: process.env.KEY ?? "",
});

${hasResponse ? `const response = ${call}\nconsole.dir(response, { depth: null });` : call}`;
}

function python({ method, path, query, body }: Call): string {
  const variables = [...path.matchAll(/\{(\w+)\}/g)].filter(([, name = ""]) => !VALUES[name]);
  const url = filled(path, (name) => `{os.environ['${name}']}`);
  const json = JSON.stringify(body, undefined, 4)
    ?.replaceAll(/^(\s*(?:"\w+": )?)(true|false|null)(,?)$/gm, (_, before, word: string, comma) =>
      [before, { true: "True", false: "False", null: "None" }[word], comma].join(""),
    )
    .replaceAll("\n", "\n    ");
  const lines = [
    variables.length > 0 ? `os.environ["BASE"] + f"${url}"` : `os.environ["BASE"] + "${url}"`,
    'headers={"X-API-Key": os.environ["KEY"]}',
    ...(Object.keys(query).length > 0 ? [`params=${JSON.stringify(query).replaceAll('":"', '": "')}`] : []),
    ...(json ? [`json=${json}`] : []),
    "timeout=30",
  ];
  return `# pip install requests
import os

import requests

response = requests.${method.toLowerCase()}(
${lines.map((line) => `    ${line},\n`).join("")})
print(response.status_code, response.text)`;
}

function go({ method, path, query, body }: Call): string {
  const url = filled(path, (name) => `"+os.Getenv("${name}")+"`);
  const address = `os.Getenv("BASE")+"${url}${searchOf(query)}"`.replaceAll('+""', "");
  const json = JSON.stringify(body, undefined, 2);
  const imports = ["fmt", "io", "log", "net/http", "os", ...(json ? ["strings"] : [])];
  return `package main

import (
${imports.map((name) => `\t"${name}"\n`).join("")})

func main() {
${json ? `\tbody := strings.NewReader(\`${json}\`)\n` : ""}\trequest, err := http.NewRequest("${method}", ${address}, ${json ? "body" : "nil"})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("KEY"))
${json ? '\trequest.Header.Set("Content-Type", "application/json")\n' : ""}\tresponse, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status, string(text))
}`;
}

function searchOf(query: Readonly<Record<string, string>>): string {
  return Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : "";
}
