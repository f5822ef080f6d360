import { expect, test } from "vitest";
import { Authorizer } from "../../../local/api-gateway/authorizer.ts";
import type { GatewayRequest } from "../../../local/api-gateway/request.ts";
import type { LocalFunction } from "../../../local/lambda/local-function.ts";

const METHOD = "arn:aws:execute-api:us-east-1:1:api/test/GET/orders";

interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: string;
  readonly Resource: string | readonly string[];
}

const ALLOWED: Statement = { Effect: "Allow", Action: "execute-api:Invoke", Resource: "*" };

/** An authorizer whose function returns this policy, with a clock that the test sets. */
function anAuthorizer(Statement: readonly Statement[], cacheSeconds = 60, identityHeaders = ["X-API-Key"]) {
  const clock = { now: 0 };
  let invocations = 0;
  const identify = {
    async invoke() {
      invocations += 1;
      return { payload: JSON.stringify({ principalId: "someone", policyDocument: { Statement } }) };
    },
  };
  const authorizer = new Authorizer(
    { id: "keys", functionName: "identify", cacheSeconds, identityHeaders },
    identify as unknown as LocalFunction,
    () => clock.now,
  );
  const call = (key: string, ...others: string[]) =>
    authorizer.authorize(
      {
        headers: new Map([
          ["x-api-key", [key]],
          ["x-org", others],
        ]),
      } as unknown as GatewayRequest,
      METHOD,
      () => ({}),
    );
  return { clock, call, invocations: () => invocations };
}

test("A result is used again for the same key until its time is over", async () => {
  const { clock, call, invocations } = anAuthorizer([ALLOWED]);

  await call("a");
  clock.now = 59_999;
  await call("a");
  expect(invocations()).toBe(1);
  await call("b");
  expect(invocations()).toBe(2);
  clock.now = 60_000;
  await call("a");
  expect(invocations()).toBe(3);
});

test("Callers with several identity headers share no result unless each header is the same", async () => {
  const { call, invocations } = anAuthorizer([ALLOWED], 60, ["X-API-Key", "X-Org"]);

  await call("a", "bc");
  await call("ab", "c");
  expect(invocations()).toBe(2);
  await call("ab", "d", "c");
  expect(invocations()).toBe(2);
  expect(await call("ab")).toEqual({ allowed: false, refusal: "UNAUTHORIZED" });
});

test("Without a cache each call invokes the function", async () => {
  const { call, invocations } = anAuthorizer([ALLOWED], 0);

  await call("a");
  await call("a");

  expect(invocations()).toBe(2);
});

test.each<[string, Statement[], boolean]>([
  ["a statement for all methods", [ALLOWED], true],
  ["one of a statement's resources", [{ ...ALLOWED, Resource: ["*/POST/*", "*/GET/ord?rs"] }], true],
  ["no statement", [], false],
  ["a statement for another method", [{ ...ALLOWED, Resource: "*/POST/*" }], false],
  ["a statement whose dot is no wildcard", [{ ...ALLOWED, Resource: "*/GET/order." }], false],
  ["a statement for another action", [{ ...ALLOWED, Action: "execute-api:ManageConnections" }], false],
  [
    "a statement that a Deny overrules",
    [ALLOWED, { ...ALLOWED, Effect: "Deny", Resource: "*/GET/*" }],
    false,
  ],
])("A policy decides by %s", async (_, statements, allowed) => {
  expect(await anAuthorizer(statements).call("a")).toMatchObject(
    allowed ? { allowed } : { allowed, refusal: "ACCESS_DENIED" },
  );
});

test("A result that is no policy is a mistake in the configuration", async () => {
  const { call } = anAuthorizer([{ ...ALLOWED, Effect: "Maybe" as "Allow" }]);

  expect(await call("a")).toEqual({ allowed: false, refusal: "AUTHORIZER_CONFIGURATION_ERROR" });
});
