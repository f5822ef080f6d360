import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { expect, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { capturedLogs } from "../builders/captured-logs.ts";
import { aLambdaContext, aProxyEvent } from "../builders/proxy-event.ts";
import { aSubmission } from "../builders/submission.ts";
import { SimulatedStore } from "../simulation/simulated-store.ts";

const { amendCandidate } = await import("../../functions/api/amend-candidate.ts");
const { applySandboxTransition } = await import("../../functions/api/apply-sandbox-transition.ts");
const { createCandidate } = await import("../../functions/api/create-candidate.ts");

const logs = capturedLogs();

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

test("a create, an amend and a transition of the sandbox log which candidate they were about", async () => {
  const { client: documentClient, now, tableName } = new SimulatedStore();
  const dependencies = { ...runtime, now, documentClient, variables: { TABLE_NAME: tableName } };
  const call = async (handler: unknown, event: APIGatewayProxyEvent) =>
    (await (handler as Handler)(event, aLambdaContext)).body;
  const verify = (id: string) => {
    const event = aProxyEvent({ id });
    return { ...event, pathParameters: { ...event.pathParameters, transition: "verify" } };
  };

  const { stagedId } = JSON.parse(
    await call(createCandidate(dependencies), aProxyEvent({ body: aSubmission() })),
  );
  await call(amendCandidate(dependencies), aProxyEvent({ id: stagedId, body: { headline: "Analyst" } }));
  await call(applySandboxTransition(dependencies), verify(stagedId));
  await call(applySandboxTransition(dependencies), verify(stagedId));

  expect(logs.lines().map((line) => JSON.parse(line))).toMatchObject([
    { operationId: "createCandidate", outcome: "ok", stagedId },
    { operationId: "amendCandidate", outcome: "ok", stagedId },
    { operationId: "applySandboxTransition", outcome: "ok", stagedId, transition: "verify", changed: true },
    { operationId: "applySandboxTransition", outcome: "ok", stagedId, transition: "verify", changed: false },
  ]);
});
