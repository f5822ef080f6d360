import { AdvanceCandidate, type AdvancedCandidate } from "#candidates/candidate-commands";
import { decisionOf } from "#candidates/change";
import { parseHandle, stagedIdOf } from "#candidates/handles";
import { summaryOf } from "#candidates/platform-view";
import { candidatesOf } from "#candidates/store/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";

export const advanceCandidate = (dependencies: WithTable) => {
  const candidates = candidatesOf(dependencies);
  return privateFunction({
    input: AdvanceCandidate,
    loggedInput: ["orgId", "transition", "documentType"],
    async run(input): Promise<AdvancedCandidate> {
      const handle = parseHandle(input.handle);
      logger.appendKeys({ stagedId: stagedIdOf(handle.digest) });
      const { kind, candidate } = await candidates.change(input.orgId, handle, decisionOf(input));
      return { ...summaryOf(candidate), changed: kind === "changed" };
    },
    loggedOutput: ({ changed }) => ({ changed }),
  });
};

export const handler = advanceCandidate({ ...runtime, documentClient });
