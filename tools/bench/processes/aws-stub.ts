/** Answers every AWS request at once, in a process of its own: what the service does is measured, not an engine. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const KEYRING = JSON.stringify({ current: "1", 1: "k".repeat(64) });

const server = createServer((request, response) => {
  const target = String(request.headers["x-amz-target"]);
  const answer = target === "secretsmanager.GetSecretValue" ? { SecretString: KEYRING } : {};
  request.resume().on("end", () => {
    response.writeHead(200, { "Content-Type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
  });
});

server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("disconnect", () => process.exit());
