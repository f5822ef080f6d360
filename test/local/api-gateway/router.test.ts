import { expect, test } from "vitest";
import { Router } from "../../../local/api-gateway/router.ts";

const aMethod = (resourcePath: string, httpMethod = "GET") => ({
  httpMethod,
  resourcePath,
  resourceId: resourcePath,
  authorizer: undefined,
  integration: { functionName: "respond", timeoutMs: 1000 },
});

test.each([[["/orders/latest", "/orders/{id}"]], [["/orders/{id}", "/orders/latest"]]])(
  "A literal segment takes precedence over a parameter, in whichever order they are defined (%j)",
  (paths) => {
    const router = new Router(paths.map((path) => aMethod(path)));

    expect(router.find("GET", "/orders/latest")?.method.resourcePath).toBe("/orders/latest");
    expect(router.find("GET", "/orders/7")?.pathParameters).toEqual({ id: "7" });
  },
);

test("A method takes precedence over ANY, which takes the others", () => {
  const router = new Router([aMethod("/orders", "ANY"), aMethod("/orders", "GET")]);

  expect(router.find("GET", "/orders")?.method.httpMethod).toBe("GET");
  expect(router.find("PATCH", "/orders")?.method.httpMethod).toBe("ANY");
});

test("A parameter is not empty, and takes one segment unless it is greedy", () => {
  const router = new Router([aMethod("/orders/{id}"), aMethod("/docs/{file+}")]);

  expect(router.find("GET", "/orders//")).toBeUndefined();
  expect(router.find("GET", "/orders/7/lines")).toBeUndefined();
  expect(router.find("GET", "/docs/guides/first-call")?.pathParameters).toEqual({
    file: "guides/first-call",
  });
});

test("One slash at the end of a path is ignored", () => {
  const router = new Router([aMethod("/"), aMethod("/orders/{id}")]);

  expect(router.find("GET", "/orders/7/")?.pathParameters).toEqual({ id: "7" });
  expect(router.find("GET", "/orders/7//")).toBeUndefined();
  expect(router.find("GET", "/")?.method.resourcePath).toBe("/");
});

test("A greedy parameter takes one segment or more", () => {
  const router = new Router([aMethod("/docs/{file+}")]);

  expect(router.find("GET", "/docs/first-call")?.pathParameters).toEqual({ file: "first-call" });
  expect(router.find("GET", "/docs")).toBeUndefined();
});
