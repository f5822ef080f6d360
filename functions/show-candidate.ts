import { privateFunction } from "#aws/private-function";
import { ShowCandidate } from "#candidates/candidate-commands";
import { candidates } from "#candidates/candidates";
import { parseHandle } from "#candidates/handles";
import { toPlatformCandidate } from "#candidates/platform-view";

export const handler = privateFunction({
  input: ShowCandidate,
  async run({ orgId, handle }) {
    return toPlatformCandidate(await candidates.inspect(orgId, parseHandle(handle)));
  },
});
