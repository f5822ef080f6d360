import { expect, test } from "vitest";
import { runtime } from "#aws/runtime";
import { candidatesOf } from "#candidates/candidates";
import { candidateLivesOf } from "#candidates/lives";
import { candidateReaderOf } from "#candidates/reader";
import { SimulatedStore } from "../simulation/simulated-store.ts";

test.each([candidatesOf, candidateReaderOf, candidateLivesOf])("%o does not start without a table", (of) => {
  const { client: documentClient } = new SimulatedStore();

  for (const variables of [{}, { TABLE_NAME: "" }]) {
    expect(() => of({ ...runtime, documentClient, variables })).toThrow(/: TABLE_NAME\.$/);
  }
  expect(of({ ...runtime, documentClient, variables: { TABLE_NAME: "candidates" } })).toBeDefined();
});
