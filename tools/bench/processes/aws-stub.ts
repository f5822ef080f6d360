/**
 * Responds to every AWS request at once, in a process of its own: what the service does is measured, not an engine. No
 * item exists.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const KEYRING = JSON.stringify({ current: "1", 1: "k".repeat(64) });

const NO_ITEM = { __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException" };

const server = createServer((request, response) => {
  const target = String(request.headers["x-amz-target"]);
  const isUpdate = target.endsWith(".UpdateItem");
  const content = target === "secretsmanager.GetSecretValue" ? { SecretString: KEYRING } : {};
  request.resume().on("end", () => {
    response
      .writeHead(isUpdate ? 400 : 200, { "Content-Type": "application/x-amz-json-1.0" })
      .end(JSON.stringify(isUpdate ? NO_ITEM : content));
  });
});

server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("disconnect", () => process.exit());
