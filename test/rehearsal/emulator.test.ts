import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { responds } from "../../tools/rehearsal/emulator.ts";
import { listening } from "../builders/listening.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { aCertificate } from "../webhooks/receivers.ts";

test("An emulator that leaves a request without a response is asked again", async () => {
  const certificate = aCertificate("IP:127.0.0.1");
  const certificateFile = join(await temporaryFolder(), "emulator.crt");
  await writeFile(certificateFile, certificate.cert);
  let requests = 0;
  const server = createServer(certificate, (_request, response) => {
    requests += 1;
    if (requests > 1) response.end();
  });
  const url = (await listening(server)).replace("http:", "https:");
  await responds(url, certificateFile);
  expect(requests).toBe(2);
});
