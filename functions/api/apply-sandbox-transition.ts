import { transition, unlessErased } from "#candidates/change";
import { parseHandle, stagedIdOf } from "#candidates/handles";
import { candidatesOf } from "#candidates/store/composition";
import { InvalidRequest, NotFound } from "#contract/errors";
import * as operations from "#contract/operations";
import { parse } from "#contract/parse";
import {
  PLATFORM_TRANSITIONS,
  PlatformTransition,
  type SandboxTransitionRequest,
} from "#contract/platform-transition";
import { Reasons } from "#contract/reason";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { logger } from "#runtime/logger";
import { operation } from "#runtime/operation";
import { runtime } from "#runtime/runtime";

export const applySandboxTransition = (dependencies: WithTable) => {
  const candidates = candidatesOf(dependencies);
  return operation(operations.applySandboxTransition, async ({ organisation: { orgId }, body, ...path }) => {
    const { data: name } = PlatformTransition.safeParse(path.transition);
    if (name === undefined) throw noSuchTransition();
    const handle = parseHandle(path.id);
    logger.appendKeys({ stagedId: stagedIdOf(handle.digest), transition: name });
    const decision = unlessErased(transition(name, reasonsFor(name, body)));
    const { kind } = await candidates.change(orgId, handle, decision);
    logger.appendKeys({ changed: kind === "changed" });
  });
};

export const handler = applySandboxTransition({ ...runtime, documentClient });

function noSuchTransition(): NotFound {
  return new NotFound(`There is no such transition. The transitions are ${PLATFORM_TRANSITIONS.join(", ")}.`);
}

function reasonsFor(name: PlatformTransition, { reasons }: SandboxTransitionRequest) {
  if (name === "fail-validation") return parse(Reasons, reasons, "reasons");
  if (reasons) throw new InvalidRequest("reasons: only fail-validation has reasons; send no body");
  return undefined;
}
