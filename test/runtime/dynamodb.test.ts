import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { expect, onTestFinished, test, vi } from "vitest";
import { documentClient, documentClientWith } from "#runtime/dynamodb";
import { inAwsAccount } from "../builders/aws-account.ts";

test("a client with more sockets than the SDK's 50 begins that many requests at once", async () => {
  let open = 0;
  let most = 0;
  // It accepts connections and never responds.
  const server = createServer((socket) => {
    open += 1;
    most = Math.max(most, open);
    socket
      .on("error", () => {})
      .on("close", () => {
        open -= 1;
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  inAwsAccount("DYNAMODB", `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const client = documentClientWith(60);
  const stop = new AbortController();
  const read = () =>
    client.send(new GetCommand({ TableName: "table", Key: { pk: "1", sk: "1" } }), {
      abortSignal: stop.signal,
    });

  const reads = Promise.allSettled(Array.from({ length: 70 }, read));
  await vi.waitFor(() => expect(most).toBe(60), 10_000);
  stop.abort();
  await reads;
}, 15_000);

test.each([
  ["of the process", documentClient],
  ["with more sockets", documentClientWith(60)],
])("the client %s does not copy its inputs and outputs for a logger", (_which, client) => {
  expect(client.middlewareStack.identify().join("\n")).not.toContain("loggerMiddleware");
});
