import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as definitions from "#contract/operations";

const { operations } = definitions;

test("every operation is in the list of operations and exported under its id", () => {
  const { operations: list, ...consts } = definitions;

  for (const [name, { operationId }] of Object.entries(consts)) expect(operationId).toBe(name);
  expect(list.map(({ operationId }) => operationId).sort(), "the list `operations`").toEqual(
    Object.keys(consts).sort(),
  );
});

test("no path parameter is named like another part of a call", () => {
  for (const { path } of operations) expect(path).not.toMatch(/\{(?:body|query|header|organisation)\}/);
});

// API Gateway refuses a resource beside a parameter's if its path part is a parameter with another name.
test("paths that are alike up to a parameter give it the same name", () => {
  const names = new Map<string, string>();
  for (const { path } of operations) {
    for (const { index, 1: name = "" } of path.matchAll(/\{(\w+)\}/g)) {
      const before = path.slice(0, index);
      expect(name, `the parameter after ${before} in ${path}`).toBe(names.get(before) ?? name);
      names.set(before, name);
    }
  }
});

test("no two operations share a route", () => {
  const routes = operations.map(({ method, path }) => `${method} ${path}`);

  expect(new Set(routes).size).toBe(routes.length);
});

test.each(operations)(
  "the operation $operationId is served by the function of its name",
  ({ operationId }) => {
    const file = `functions/api/${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;

    expect(existsSync(file), file).toBe(true);
    expect(readFileSync(file, "utf8")).toMatch(new RegExp(`\\boperations\\.${operationId}\\b`));
  },
);
