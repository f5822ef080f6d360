import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { OperationDefinition } from "#contract/operation-definition";
import { operations } from "#contract/operations";

const rows: readonly OperationDefinition[] = operations;
const documents = ["README.md", "client/README.md", ...globSync("docs/**/*.md")].sort();

/** The tables of a document: the cells of each line below the heading. */
function tablesOf(file: string): string[][][] {
  const tables = readFileSync(file, "utf8").match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.map((table) =>
    table
      .trim()
      .split("\n")
      .slice(2)
      .map((line) =>
        line
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1),
      ),
  );
}

const ROUTE = /^`((?:GET|PUT|POST|PATCH|DELETE) \/v1\/[^`]*)`/;

/** The lines of a table that begin with a route, as `POST /v1/candidates 201`; the status where it tells one. */
function routesIn(table: readonly string[][]): string[] {
  return table.flatMap(([call = "", response = ""]) => {
    const [, route] = ROUTE.exec(call) ?? [];
    return route ? [`${route} ${/^\d{3}\b/.exec(response)?.[0]}`] : [];
  });
}

/** As a table has it: the names of a query behind the path. */
function told({ method, path, query, status }: OperationDefinition): string {
  const names = Object.keys(query?.shape ?? {}).sort();
  return `${method} ${path}${names.length > 0 ? `?${names.join("=&")}=` : ""} ${status}`;
}

/** A route with the names of its query in order. */
function inOrder(route: string): string {
  return route.replace(/\?(\S*)= /, (_, names: string) => `?${names.split("=&").sort().join("=&")}= `);
}

const tables = documents.flatMap((file) =>
  tablesOf(file)
    .map((table) => ({ file, routes: routesIn(table).map(inOrder) }))
    .filter(({ routes }) => routes.length > 0),
);

describe("a documentation table of operations", () => {
  test("lists exactly the contract's operations, or exactly the extensions, with statuses", () => {
    const contract = rows.filter(({ extension }) => !extension).map(told);
    const extensions = rows.filter(({ extension }) => extension).map(told);

    expect(tables.map(({ file }) => file)).toEqual(["README.md", "README.md"]);
    expect(
      tables.map(({ routes }) => routes.toSorted()),
      "the tables of README.md",
    ).toEqual([contract.sort(), extensions.sort()]);
  });

  test("says of the sandbox alone that production does not have it", () => {
    const lines = documents.flatMap((file) => tablesOf(file).flat());
    for (const [call = "", response = ""] of lines.filter(([cell = ""]) => ROUTE.test(cell))) {
      const [, route] = ROUTE.exec(call) ?? [];
      const row = rows.find(({ method, path }) => `${method} ${path}` === route?.split("?")[0]);
      expect(/not in production/i.test(response), call).toBe(row?.sandbox === true);
    }
  });

  test("of the client has a method for each operation, and those that read more than a page", () => {
    const [methods = []] = tablesOf("client/README.md");
    const names = methods.flatMap(([method = ""]) =>
      [...method.matchAll(/`(\w+)\(/g)].map(([, name]) => name),
    );

    expect(names.sort(), "the first table of client/README.md").toEqual(
      [
        ...rows.map(({ operationId }) => operationId),
        ...["eachWebhookDelivery", "events", "reconcile"],
      ].sort(),
    );
  });
});

// A decision also names what was not chosen.
const current = documents.filter((file) => !file.startsWith("docs/decisions/"));

test.each(current)("%s names only existing routes", (file) => {
  const named = [...readFileSync(file, "utf8").matchAll(/`(GET|PUT|POST|PATCH|DELETE) (\/v1\/[^`?]*)/g)];
  const known = rows.map(({ method, path }) => `${method} ${path}`);

  for (const [, method, path] of named) expect(known).toContain(`${method} ${path}`);
});
