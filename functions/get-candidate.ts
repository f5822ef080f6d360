import { parseHandle } from "#candidates/handles";
import { candidates } from "#candidates/reader";
import { candidateRecord } from "#http/answers";
import { operation } from "#http/operation";

export const handler = operation({
  operationId: "getCandidate",
  async run({ organisation: { orgId }, id }) {
    return candidateRecord(await candidates.find(orgId, parseHandle(id)));
  },
});
