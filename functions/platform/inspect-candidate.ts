import { organisationsOf } from "#api-keys/composition";
import { InspectCandidate } from "#candidates/candidate-commands";
import { handleOf, parseHandle } from "#candidates/handles";
import { platformView } from "#candidates/platform-view";
import { candidateReaderOf } from "#candidates/store/composition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { privateFunction } from "#runtime/private-function";
import { runtime } from "#runtime/runtime";

export const inspectCandidate = (dependencies: WithTable) => {
  const candidates = candidateReaderOf(dependencies);
  const organisations = organisationsOf(dependencies);
  return privateFunction({
    input: InspectCandidate,
    loggedInput: ["orgId"],
    async run(input) {
      const handle =
        "handle" in input
          ? parseHandle(input.handle)
          : handleOf(await organisations.get(input.orgId), input.externalId);
      return platformView(await candidates.inspect(input.orgId, handle));
    },
    loggedOutput: ({ stagedId }) => ({ stagedId }),
  });
};

export const handler = inspectCandidate({ ...runtime, documentClient });
