import { expect, test } from "vitest";
import { pythonVersion } from "../../tools/python-environment.ts";
import { runPortion } from "../../tools/schemathesis/campaign.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

/** Why Schemathesis cannot run here; undefined when it can. */
const absent = await pythonVersion().then(
  () => undefined,
  (error: Error) => error.message,
);
if (absent) process.stderr.write(`The tests with Schemathesis are skipped. ${absent}\n`);

const REQUESTS = 2_000;
/** Those that make up requests and chains of them; portion 2, which takes longer, is for `npm run schemathesis`. */
const PORTIONS = [1, 3, 4, 5, 6];

test.skipIf(absent)(
  "2,000 generated requests get no 5xx and no response that violates the OpenAPI description",
  async () => {
    const folder = await temporaryFolder();
    let sent = 0;
    for (const portion of PORTIONS) {
      if (sent >= REQUESTS) break;
      const { passed, requests, output } = await runPortion(portion, { folder, onProgress: () => {} });
      expect(passed, output).toBe(true);
      sent += requests;
    }
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  },
);
