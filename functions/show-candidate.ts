import { privateFunction } from "#aws/private-function";
import { ShowCandidate } from "#candidates/candidate-commands";
import { handleOf, parseHandle } from "#candidates/handles";
import { shown } from "#candidates/platform-view";
import { candidates } from "#candidates/reader";
import { organisations } from "#organisations/organisations";

export const handler = privateFunction({
  input: ShowCandidate,
  async run(input) {
    const handle =
      "handle" in input
        ? parseHandle(input.handle)
        : handleOf(await organisations.get(input.orgId), input.externalId);
    return shown(await candidates.inspect(input.orgId, handle));
  },
});
