import { expect, test } from "vitest";
import { candidateLivesOf } from "#candidates/outbox/composition";
import { candidateReaderOf, candidatesOf } from "#candidates/store/composition";
import { runtime } from "#runtime/runtime";
import { SimulatedStore } from "../simulation/simulated-store.ts";

test.each([candidatesOf, candidateReaderOf, candidateLivesOf])(
  "the candidate function %o does not start without TABLE_NAME",
  (of) => {
    const { client: documentClient } = new SimulatedStore();

    for (const variables of [{}, { TABLE_NAME: "" }]) {
      expect(() => of({ ...runtime, documentClient, variables })).toThrow(/: TABLE_NAME\.$/);
    }
    expect(of({ ...runtime, documentClient, variables: { TABLE_NAME: "candidates" } })).toBeDefined();
  },
);
