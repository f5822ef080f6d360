import { readFileSync } from "node:fs";
import { request } from "node:https";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "../../local/machine/command-error.ts";
import { freePort } from "../../local/machine/free-port.ts";
import { runCommand } from "../../local/machine/run-command.ts";
import { startGuarded } from "../guarded-program.ts";
import type { Workplace } from "./workplace.ts";

/** The emulator's own account and root credentials: it knows no others, and AWS would refuse them. */
const ACCOUNT = "000000000000";
const REGION = "us-east-1";
const ROOT = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" } as const;

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 200;
/** How long a request may take before the emulator is asked again. */
const RESPONSE_TIMEOUT_MS = 2_000;

/** An AWS of this machine's own, empty when it starts and gone when it stops. */
export interface Emulator {
  readonly url: string;
  readonly account: string;
  readonly region: string;
  /** What a process needs to reach it and nothing else: no profile or credentials of the user's. */
  readonly clientEnvironment: NodeJS.ProcessEnv;
  /** The URL of an API's stage. */
  stageUrl(apiId: string, stage: string): string;
  stop(): Promise<void>;
}

/**
 * Starts MiniStack on a free port of the loopback interface, over TLS and with IAM enforced: the policies
 * that CDK writes deny every request that is not encrypted, and each function acts under its own role.
 *
 * @throws CommandError when it does not come up
 */
export async function startEmulator(program: string, workplace: Workplace): Promise<Emulator> {
  const certificate = await aCertificate(workplace);
  const port = await freePort("127.0.0.1");
  const url = `https://localhost:${port}`;
  const logFile = workplace.file("emulator.log");
  const state = workplace.folder("emulator");
  const ours = {
    // Its Lambda functions run on the first node of the PATH: the project's, which is Lambda's version.
    PATH: [join(process.execPath, ".."), process.env["PATH"]].join(delimiter),
    HOME: state,
    LANG: "C.UTF-8",
    NODE_EXTRA_CA_CERTS: certificate.certificateFile,
    CURL_CA_BUNDLE: certificate.certificateFile,
    ...ROOT,
  };
  const emulator = startGuarded(program, [], {
    cwd: state,
    logFile,
    env: { ...ours, ...settingsOf(state, port, certificate) },
  });
  await Promise.race([
    responds(`${url}/_ministack/health`, certificate.certificateFile),
    emulator.ended.then(() => {
      const lastWords = readFileSync(logFile, "utf8").trim().split("\n").slice(-3).join(" ");
      throw new CommandError(`The emulator ended while it started. Its last output: ${lastWords}`);
    }),
  ]);
  return {
    url,
    account: ACCOUNT,
    region: REGION,
    clientEnvironment: {
      ...ours,
      TMPDIR: workplace.folder("temporary"),
      AWS_ENDPOINT_URL: url,
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      // The CDK remembers there which account a key belongs to, and would remember this one.
      CDK_HOME: join(state, "cdk"),
      AWS_CONFIG_FILE: join(state, "no-config"),
      AWS_SHARED_CREDENTIALS_FILE: join(state, "no-credentials"),
      AWS_EC2_METADATA_DISABLED: "true",
    },
    // The address that AWS would give names the API in its host, and *.localhost resolves on few machines.
    stageUrl: (apiId, stage) => `${url}/_aws/execute-api/${apiId}/${stage}`,
    stop: () => emulator.stop(),
  };
}

interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** MiniStack's settings: where it keeps its state, and what it serves on which port. */
function settingsOf(state: string, port: number, { certificateFile, keyFile }: Certificate) {
  return {
    TMPDIR: state,
    // Its functions inherit this: an instance starts in half the time.
    NODE_COMPILE_CACHE: join(state, "compiled"),
    STATE_DIR: join(state, "state"),
    S3_DATA_DIR: join(state, "s3"),
    BIND_HOST: "127.0.0.1",
    GATEWAY_PORT: String(port),
    MINISTACK_HOST: "localhost",
    MINISTACK_REGION: REGION,
    AUTH: "true",
    USE_SSL: "1",
    MINISTACK_SSL_CERT: certificateFile,
    MINISTACK_SSL_KEY: keyFile,
    // Listeners of services that the stack does not use.
    SFTP_ENABLED: "0",
    IOT_MTLS_ENABLED: "0",
  };
}

/** A key pair of this rehearsal alone: nothing else on the machine comes to trust it. */
async function aCertificate(workplace: Workplace): Promise<Certificate> {
  const certificateFile = workplace.file("emulator.crt");
  const keyFile = workplace.file("emulator.key");
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  try {
    await runCommand("openssl", [...request, ...subject, "-keyout", keyFile, "-out", certificateFile]);
  } catch (error) {
    throw new CommandError(
      "The emulator's certificate could not be created: install the openssl command, 1.1.1 or newer.",
      { cause: error },
    );
  }
  return { certificateFile, keyFile };
}

/**
 * Waits until the emulator responds.
 *
 * @throws CommandError when it does not
 * @internal Exported for tests.
 */
export async function responds(url: string, certificateFile: string): Promise<void> {
  const ca = readFileSync(certificateFile);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const responded = await new Promise<boolean>((resolve) => {
      request(url, { ca, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      })
        .once("error", () => resolve(false))
        .end();
    });
    if (responded) return;
    await delay(POLL_MS);
  }
  throw new CommandError(`The emulator did not respond within ${START_TIMEOUT_MS / 1000} s.`);
}
