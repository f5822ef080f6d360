/** Receivers over HTTP and HTTPS that keep connections open; the path determines the response. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { aCertificate } from "../../../test/webhooks/receivers.ts";

const respond: RequestListener = (request, response) => {
  request.resume().on("end", () => {
    if (request.url === "/hanging") return;
    response.writeHead(request.url === "/failing" ? 500 : 204).end();
  });
};

const certificate = aCertificate("IP:127.0.0.1");
const servers = { http: createServer(respond), https: createTlsServer(certificate, respond) };

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

process.send?.({
  http: `http://127.0.0.1:${await listening(servers.http)}`,
  https: `https://127.0.0.1:${await listening(servers.https)}`,
  certificate: certificate.cert,
});
process.once("disconnect", () => process.exit());
