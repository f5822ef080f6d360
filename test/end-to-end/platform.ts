import { randomUUID } from "node:crypto";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { inject } from "vitest";
import type { AdvanceCandidate } from "#candidates/candidate-commands";
import type { JsonObject } from "../contract/json.ts";
import { type Caller, callerWith } from "./client.ts";

/** The outcome of a private function: what it returned, or the name of what it threw. */
export type Outcome =
  | { readonly response: JsonObject; readonly errorType?: never }
  | { readonly errorType: string; readonly errorMessage: string; readonly response?: never };

/** Invokes a private function of the platform, as its operators do by IAM. */
export async function invoke(name: string, payload: unknown): Promise<Outcome> {
  const endpoint = inject("invokeUrl");
  const local = { region: "eu-west-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
  const lambda = new LambdaClient(endpoint ? { endpoint, ...local } : {});
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({
      FunctionName: `CandidateService-development-${name}`,
      Payload: new TextEncoder().encode(JSON.stringify(payload)),
    }),
  );
  const returned = JSON.parse(Payload?.transformToString() ?? "null");
  return FunctionError ? returned : { response: returned };
}

/** The response of a private function that is expected to succeed. */
export async function responseOf(name: string, payload: unknown): Promise<JsonObject> {
  const outcome = await invoke(name, payload);
  if (!outcome.response) throw new Error(`${name}: ${outcome.errorType}: ${outcome.errorMessage}`);
  return outcome.response;
}

/** Performs a transition of a candidate, as the platform team does; `input` is the rest of what it needs. */
export function advance(
  orgId: string,
  handle: string,
  transition: AdvanceCandidate["transition"],
  input: object = {},
): Promise<JsonObject> {
  return responseOf("advance-candidate", { orgId, handle, transition, ...input });
}

export interface Organisation {
  readonly orgId: string;
  readonly apiKey: string;
  readonly caller: Caller;
}

/** An organisation that no other test knows, with a key of its own. */
export async function anOrganisation(): Promise<Organisation> {
  const orgId = `org-${randomUUID()}`;
  const apiKey = String((await aFirstKey(orgId))["apiKey"]);
  return { orgId, apiKey, caller: callerWith(apiKey) };
}

/** The first key of a new organisation, which no other test knows unless its id is given. */
export function aFirstKey(orgId = `org-${randomUUID()}`): Promise<JsonObject> {
  return responseOf("issue-api-key", { orgId, newOrganisation: true, name: "end-to-end tests" });
}
