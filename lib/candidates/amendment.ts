import type { Update } from "#aws/update-expression";
import type { PackedMembers } from "#candidates/candidate-item";
import type { Handle } from "#candidates/handles";
import { beforeRevocation, consentRevoked, firing } from "#candidates/lifecycle";
import type { CandidateAmendment } from "#contract/candidate-submission";

export interface AmendOptions {
  /** Versions (`updatedAt`) one of which the record must still have; any when absent. */
  readonly ifMatch?: readonly string[] | undefined;
}

interface Write extends AmendOptions {
  /** The attributes of the members that the amendment sets. */
  readonly attributes: PackedMembers["attributes"];
  readonly updatedAt: string;
  readonly writeId: string;
}

/**
 * An amend as one update: it sets the members that are present, removes those that are null or empty,
 * and touches no other. Consent that is withdrawn freezes the record; consent given again thaws it.
 */
export function amendmentUpdate(
  amendment: CandidateAmendment,
  handle: Handle,
  { attributes, updatedAt, writeId, ifMatch }: Write,
): Update {
  const withdrawn = amendment.consentGiven === false;
  const givenAgain = amendment.consentGiven === true;
  const cleared = Object.keys(amendment).filter((name) => !Object.hasOwn(attributes, name));
  const { event, ...frozen } = consentRevoked;
  const conditions = ["attribute_exists(pk)", "#status <> :erased", "#updatedAt < :updatedAt"];
  if (handle.kind === "canonical") conditions.push("attribute_exists(promotedAt)");
  if (!givenAgain) conditions.push("#status <> :revoked");
  const versions = Object.fromEntries(ifMatch?.map((version, index) => [`:version${index}`, version]) ?? []);
  if (ifMatch) conditions.push(`#updatedAt IN (${Object.keys(versions).join(", ")})`);
  return {
    set: {
      updatedAt,
      writeId,
      ...attributes,
      ...(withdrawn && { ...frozen, event: firing(event, updatedAt) }),
    },
    assign: {
      ...(withdrawn && { ...beforeRevocation.remember, eventSequence: "#eventSequence + :one" }),
      ...(givenAgain && beforeRevocation.restore),
    },
    remove: [
      ...cleared,
      ...(withdrawn ? [] : ["event"]),
      ...(givenAgain ? Object.keys(beforeRevocation.remember) : []),
    ],
    conditions,
    values: {
      ":erased": "erased",
      ...(!givenAgain && { ":revoked": frozen.status }),
      ...(withdrawn && { ":one": 1 }),
      ...versions,
    },
  };
}
