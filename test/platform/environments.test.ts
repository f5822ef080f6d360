import { createServer } from "node:http";
import { expect, test, vi } from "vitest";
import { transition } from "#candidates/change";
import { ConsentRevoked, REPEAT_WITH_CARE, ServiceUnavailable, UNAVAILABLE } from "#contract/errors";
import type { WebhookEndpoint } from "#contract/webhook-endpoint";
import { EnvironmentName } from "#runtime/environment";
import { noSuchEndpoint } from "#webhooks/endpoints/endpoint-items";
import { assertActive } from "#webhooks/endpoints/stored-endpoint";
import { inAwsAccount } from "../builders/aws-account.ts";
import { aCandidate } from "../builders/candidate.ts";
import { listening } from "../builders/listening.ts";
import { withCredentials } from "./running-command.ts";

const LIST = ["keys", "list", "--org", "acme"];
const KEY = { keyId: "key_1", orgId: "acme", name: "sync", createdAt: "2026-01-01T00:00:00.000Z" };

/** Lambda in an AWS account, as the command reaches it with credentials; it notes which functions are invoked. */
async function lambda({ status = 200, headers = {}, body = JSON.stringify({ data: [KEY] }) } = {}) {
  const invoked: string[] = [];
  const server = createServer((request, response) => {
    const [, name = ""] = /\/functions\/([^/]+)\/invocations$/.exec(request.url ?? "") ?? [];
    invoked.push(name);
    request.resume();
    response.writeHead(status, headers).end(body);
  });
  inAwsAccount("LAMBDA", await listening(server));
  return { invoked };
}

/** Runs the command where a local stack has been started, which no longer responds. */
const besideLocalStack = (args: readonly string[]) =>
  withCredentials(args, JSON.stringify({ invokeUrl: "http://127.0.0.1:9" }));

test.each(EnvironmentName.options)(
  "with --environment %s the command invokes that environment's function, not the local stack's",
  async (environment) => {
    const { invoked } = await lambda();

    expect(await besideLocalStack(["--environment", environment, ...LIST])).toMatchObject({ code: 0 });

    expect(invoked).toEqual([`CandidateService-${environment}-list-api-keys`]);
  },
);

test("a function of an environment is invoked through the proxy of HTTPS_PROXY", async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on("connect", (request, socket) => {
    asked.push(request.url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  inAwsAccount("LAMBDA", "https://lambda.eu-west-1.amazonaws.com");
  vi.stubEnv("https_proxy", await listening(proxy));

  expect(await besideLocalStack(["--environment", "production", ...LIST])).toMatchObject({ code: 1 });

  expect(asked).toEqual(["lambda.eu-west-1.amazonaws.com:443"]);
});

test.each([
  [
    "is not deployed",
    { status: 404, headers: { "X-Amzn-ErrorType": "ResourceNotFoundException" }, body: "{}" },
    "There is no function CandidateService-production-list-api-keys. Deploy the production stack first, and check AWS_REGION.\n",
  ],
  [
    "may not be invoked",
    {
      status: 403,
      headers: { "X-Amzn-ErrorType": "AccessDeniedException" },
      body: '{"message":"not authorized"}',
    },
    "CandidateService-production-list-api-keys could not be invoked (AccessDeniedException: not authorized). Check your AWS credentials and AWS_REGION.\n",
  ],
  [
    "is behind a load balancer that fails",
    { status: 503, headers: { "Content-Type": "text/html" }, body: "<html>Service Unavailable</html>" },
    "The response of CandidateService-production-list-api-keys was lost (status code 503). The function may have run: see what it has done before you repeat the command.\n",
  ],
  [
    "fails",
    {
      headers: { "X-Amz-Function-Error": "Unhandled" },
      body: '{"errorType":"Sandbox.Timedout","errorMessage":"Task timed out after 60.00 seconds"}',
    },
    "CandidateService-production-list-api-keys failed (Sandbox.Timedout: Task timed out after 60.00 seconds). See its log.\n",
  ],
  [
    "fails without saying why",
    { headers: { "X-Amz-Function-Error": "Unhandled" }, body: "" },
    "CandidateService-production-list-api-keys failed. See its log.\n",
  ],
  [
    "fails with control characters in its message",
    {
      headers: { "X-Amz-Function-Error": "Unhandled" },
      body: '{"errorType":"Error","errorMessage":"\\u001b[2Kdone"}',
    },
    "CandidateService-production-list-api-keys failed (Error: \u{fffd}[2Kdone). See its log.\n",
  ],
])(
  "a function of an environment that %s ends with what to do, and with exit code 1",
  async (_what, response, stderr) => {
    await lambda(response);

    const ended = await besideLocalStack(["--environment", "production", ...LIST]);

    expect(ended).toMatchObject({ code: 1, stdout: "", stderr });
  },
);

const messageOf = (throws: () => void) => {
  try {
    throws();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

const refusalOf = (name: "verify", status: "consent_revoked" | "erased") =>
  messageOf(() => transition(name).decide(aCandidate({}, { status })));

test("a function that is temporarily unavailable asks for the command again, not for a request", async () => {
  const { code: errorType, message: errorMessage } = new ServiceUnavailable();
  const body = JSON.stringify({ errorType, errorMessage });
  await lambda({ headers: { "X-Amz-Function-Error": "Unhandled" }, body });

  const { code, stderr } = await besideLocalStack(["--environment", "production", ...LIST]);

  expect([code, stderr]).toEqual([1, `${UNAVAILABLE} Repeat the command later. ${REPEAT_WITH_CARE}\n`]);
});

test.each([
  [
    messageOf(() => assertActive({ active: false } as WebhookEndpoint)),
    "The endpoint is inactive. Its organisation must send PATCH with active true first.\n",
  ],
  [
    "eventId: the event is a sample: send another with POST …/test",
    "--event: the event is a sample: its organisation can send another with POST …/test\n",
  ],
  [
    new ConsentRevoked().message,
    "Consent is withdrawn: access is frozen. Its organisation must amend the candidate with consentGiven true to restore it.\n",
  ],
  [
    refusalOf("verify", "consent_revoked"),
    "transition: verify is not allowed from the status consent_revoked. Its organisation must amend the candidate with consentGiven true first.\n",
  ],
  [
    refusalOf("verify", "erased"),
    "transition: verify is not allowed from the status erased. Its organisation must create the candidate again first.\n",
  ],
  [
    noSuchEndpoint().message,
    "Organisation acme has no webhook endpoint with this id. Its organisation can check the id against the list of endpoints.\n",
  ],
])("the request that the message %j asks for is the organisation's to send", async (errorMessage, stderr) => {
  const body = JSON.stringify({ errorType: "invalid_request", errorMessage });
  await lambda({ headers: { "X-Amz-Function-Error": "Unhandled" }, body });
  const id = "0".repeat(26);
  const ids = ["--org", "acme", "--endpoint", `whe_${id}`, "--event", `evt_${id}`];

  const ended = await besideLocalStack(["--environment", "production", "deliveries", "resend", ...ids]);

  expect(ended).toMatchObject({ code: 1, stdout: "", stderr });
});
