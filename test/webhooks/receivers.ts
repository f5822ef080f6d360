import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { createSecureServer } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type SecureVersion } from "node:tls";
import { openssl } from "./openssl.ts";

/** A request as it came over the wire. */
export interface Received {
  readonly httpVersion: string;
  readonly method: string;
  readonly path: string;
  /** Names in the case they were sent in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A receiver that listens on this machine until {@link closeReceivers}. */
export interface Receiver {
  readonly port: number;
  readonly requests: Received[];
  /** How many connections were made to it. */
  readonly connections: () => number;
  /** Its sockets, oldest first. */
  readonly sockets: readonly Socket[];
}

const LOOPBACK = { host: "127.0.0.1", port: 0 };
const open: (() => void)[] = [];

/** Ends every receiver of this file. */
export function closeReceivers(): void {
  for (const close of open.splice(0)) close();
}

/** What HTTP/1.1 and HTTP/2 have in common. */
type Request = Pick<IncomingMessage, "httpVersion" | "method" | "url" | "rawHeaders"> & AsyncIterable<Buffer>;
interface ResponseStream {
  writeHead(status: number, headers: OutgoingHttpHeaders): { end(body: string | Buffer): unknown };
}

/** What a receiver responds with. */
export interface Response {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

/** A receiver that speaks HTTP, and responds with 204 by default. */
export async function anHttpReceiver(
  respond: (request: Received, index: number) => Response = () => ({}),
  { host = "127.0.0.1", port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<Receiver> {
  const requests: Received[] = [];
  return listening(createHttpServer(responding(respond, requests)), { host, port }, requests);
}

/** The same over TLS, with a certificate of its own making. Offers HTTP/2 too, as most servers do. */
export async function aTlsReceiver(certificate: Certificate): Promise<Receiver> {
  const requests: Received[] = [];
  const server = createSecureServer(
    { ...certificate, allowHTTP1: true },
    responding(() => ({}), requests),
  );
  return listening(server, LOOPBACK, requests);
}

/** A receiver that refuses connections without a certificate of the client. */
export async function aDemandingReceiver(
  certificate: Certificate,
  version: SecureVersion,
): Promise<Receiver> {
  const server = createTlsServer({
    ...certificate,
    requestCert: true,
    minVersion: version,
    maxVersion: version,
  });
  return listening(server, LOOPBACK, []);
}

/** A receiver that does with each connection what it likes. */
export function aRudeReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return listening(createServer(onConnection), LOOPBACK, []);
}

function responding(respond: (request: Received, index: number) => Response, requests: Received[]) {
  return async (request: Request, stream: ResponseStream) => {
    const received: Received = {
      httpVersion: request.httpVersion,
      method: request.method ?? "",
      path: request.url ?? "",
      headers: Object.fromEntries(
        Array.from({ length: request.rawHeaders.length / 2 }, (_, index) =>
          request.rawHeaders.slice(2 * index, 2 * index + 2),
        ),
      ),
      body: Buffer.concat(await Array.fromAsync(request)),
    };
    requests.push(received);
    const { status = 204, headers = {}, body = "" } = respond(received, requests.length - 1);
    stream.writeHead(status, headers).end(body);
  };
}

async function listening(
  server: Server,
  { host, port }: typeof LOOPBACK,
  requests: Received[],
): Promise<Receiver> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    sockets.push(socket);
    // What a client breaks off is not the receiver's fault.
    socket.on("error", () => {});
  });
  server.listen(port, host);
  await once(server, "listening");
  open.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => sockets.length,
    sockets,
  };
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly ciphers?: string;
}

/** A certificate whose key is too short for today's TLS, and what makes a server present it all the same. */
export function aWeakCertificate(subjectAltName: string): Certificate {
  return { ...aCertificate(subjectAltName, ["rsa:1024"]), ciphers: "DEFAULT@SECLEVEL=0" };
}

/** A certificate that nobody has signed but itself, good for a day. */
export function aCertificate(
  subjectAltName: string,
  newKey: readonly string[] = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
): Certificate {
  const directory = mkdtempSync(join(tmpdir(), "certificate-"));
  try {
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    openssl([
      ...["req", "-x509", "-nodes", "-newkey", ...newKey],
      ...["-days", "1", "-subj", "/CN=receiver", "-addext", `subjectAltName=${subjectAltName}`],
      ...["-keyout", key, "-out", cert],
    ]);
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
