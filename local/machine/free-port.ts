import { once } from "node:events";
import { createServer } from "node:net";
import { CommandError } from "./command-error.ts";

/** A port on which no program listens: on the loopback interface, or on every interface with `0.0.0.0`. */
export async function freePort(host: "127.0.0.1" | "0.0.0.0"): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new CommandError("No free port was found.");
  return address.port;
}
