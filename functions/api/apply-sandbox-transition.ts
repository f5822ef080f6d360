import { transition, unlessErased } from "#candidates/change";
import { parseHandle, stagedIdOf } from "#candidates/handles";
import { candidatesOf } from "#candidates/store/composition";
import * as operations from "#contract/operations";
import { parseTransition, reasonsOf } from "#contract/platform-transition";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const applySandboxTransition = (dependencies: WithTable) => {
  const candidates = candidatesOf(dependencies);
  return operation(operations.applySandboxTransition, async ({ organisation: { orgId }, body, ...path }) => {
    const name = parseTransition(path.transition);
    const handle = parseHandle(path.id);
    logger.appendKeys({ stagedId: stagedIdOf(handle.digest), transition: name });
    const decision = unlessErased(transition(name, reasonsOf(name, body)));
    const { kind } = await candidates.change(orgId, handle, decision);
    logger.appendKeys({ changed: kind === "changed" });
  });
};

export const handler = applySandboxTransition({ ...runtime, documentClient });
