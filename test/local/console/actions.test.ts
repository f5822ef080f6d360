import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Actions } from "../../../local/console/actions.ts";
import { emptyBoard } from "../../../local/console/board.ts";
import { Inboxes } from "../../../local/console/inboxes.ts";
import { KnownSecrets } from "../../../local/console/known-secrets.ts";
import type { LocalFunction } from "../../../local/lambda/local-function.ts";
import { listening } from "../../builders/listening.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

/** The address of an API that accepts one key. */
async function anApi(accepted: string): Promise<string> {
  const api = createServer(({ headers }, response) => {
    const isAccepted = headers["x-api-key"] === accepted;
    const body = isAccepted
      ? { stagedId: "staged_1", externalId: "sample-1", receivedAt: "2026-11-29T12:00:00.000Z" }
      : { error: "unauthorized", message: "Unauthorized." };
    response.writeHead(isAccepted ? 201 : 401, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  });
  return listening(api);
}

/** The actions of a console whose organisation acme has the key `initial`, and is issued these ones. */
async function actionsWith(baseUrl: string, ...issued: string[]): Promise<Actions> {
  const board = emptyBoard(() => {});
  const secrets = new KnownSecrets(join(await temporaryFolder(), "console.json"));
  const issueApiKey = {
    definition: { name: "CandidateService-development-issue-api-key" },
    invoke: async () => ({ payload: JSON.stringify({ apiKey: issued.shift() }) }),
  } as unknown as LocalFunction;
  return new Actions({
    ...{ board, secrets, baseUrl, inboxes: new Inboxes({ board, secrets, baseUrl }) },
    organisations: [{ orgId: "acme", name: "Acme", apiKey: "initial" }],
    functions: () => [issueApiKey],
  });
}

test.each([
  ["the initial one", "second", ["second"], "acme"],
  ["one that the console was issued", "second", ["first", "second"], "other"],
])("a button works although its key was revoked: %s", async (_, accepted, issued, orgId) => {
  const actions = await actionsWith(await anApi(accepted), ...issued);

  await expect(actions.run("create-candidate", { orgId })).resolves.toBe("Created sample-1.");
  await expect(actions.run("create-candidate", { orgId })).resolves.toBe("Created sample-1.");
});

test("a button is refused if the key that it is issued instead is refused too", async () => {
  const actions = await actionsWith(await anApi("none"), "first", "second");

  await expect(actions.run("create-candidate", { orgId: "acme" })).rejects.toThrow("Unauthorized.");
});
