import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { AwsCall } from "../../local/lambda/aws-calls.ts";
import { type IamRequest, iamRequestsOf } from "./iam-requests.ts";

/** What the end-to-end tests made a function ask of IAM. */
export interface RecordedRequest extends IamRequest {
  readonly functionName: string;
}

/** Writes what functions ask of IAM to a file, each thing once, as it comes. */
export function recordIamRequests(file: string): (functionName: string, call: AwsCall) => void {
  const seen = new Set<string>();
  writeFileSync(file, "");
  return (functionName, call) => {
    for (const request of iamRequestsOf(call)) {
      const line = JSON.stringify({ functionName, ...request } satisfies RecordedRequest);
      if (seen.has(line)) continue;
      seen.add(line);
      appendFileSync(file, `${line}\n`);
    }
  };
}

export function readIamRequests(file: string): RecordedRequest[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
