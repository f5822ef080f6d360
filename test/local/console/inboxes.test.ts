import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyBoard } from "../../../local/console/board.ts";
import { Inboxes } from "../../../local/console/inboxes.ts";
import { KnownSecrets } from "../../../local/console/known-secrets.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

test("of inboxes that no endpoint uses, the console keeps the 50 newest, and all others", async () => {
  const board = emptyBoard(() => {});
  const secrets = new KnownSecrets(join(await temporaryFolder(), "console.json"));
  const inboxes = new Inboxes({ board, secrets, baseUrl: "http://127.0.0.1:3000" });
  secrets.add("whe_1", { inbox: "acme", signingSecret: "whsec_" });
  board.endpoints.put({
    ...{ key: "whe_2", orgId: "acme", url: inboxes.urlOf("by-hand"), active: true, inbox: null },
    ...{ eventTypes: [], description: null },
    ...{ failingSince: null, disabledAt: null, disabledReason: null, lastSuccessAt: null, missedSince: null },
  });

  // From the last to the first in the alphabet.
  const unused = Array.from({ length: 60 }, (_, index) => `unused-${99 - index}`);
  for (const inbox of ["acme", "by-hand", ...unused]) inboxes.setResponse(inbox, "200");

  const kept = [...board.inboxes.values()].map(({ key }) => key);
  expect(kept).toEqual(["acme", "by-hand", ...unused.slice(10)]);
});
