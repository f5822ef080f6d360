import { privateFunction } from "#aws/private-function";
import { ShowCandidate } from "#candidates/candidate-commands";
import { parseHandle } from "#candidates/handles";
import { toPlatformCandidate } from "#candidates/platform-view";
import { candidates } from "#candidates/reader";

export const handler = privateFunction({
  input: ShowCandidate,
  async run({ orgId, handle }) {
    return toPlatformCandidate(await candidates.inspect(orgId, parseHandle(handle)));
  },
});
