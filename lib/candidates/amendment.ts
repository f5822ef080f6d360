import { ITEM_VERSION } from "#candidates/candidate-item";
import type { Handle } from "#candidates/handles";
import { beforeRevocation, consentRevoked, firing } from "#candidates/lifecycle";
import { isStored, packMember } from "#candidates/member-codec";
import type { Update } from "#candidates/update-expression";
import type { CandidateAmendment } from "#contract/candidate-submission";

export interface AmendOptions {
  /** Versions (`updatedAt`) one of which the record must still have; any when absent. */
  readonly ifMatch?: readonly string[] | undefined;
}

interface Write extends AmendOptions {
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
  { updatedAt, writeId, ifMatch }: Write,
): Update {
  const withdrawn = amendment.consentGiven === false;
  const givenAgain = amendment.consentGiven === true;
  const members = Object.entries(amendment);
  const { event, ...frozen } = consentRevoked;
  const conditions = [
    "attribute_exists(pk)",
    "(attribute_not_exists(itemVersion) OR itemVersion <= :itemVersion)",
    "#status <> :erased",
    "#updatedAt < :updatedAt",
  ];
  if (handle.kind === "canonical") conditions.push("attribute_exists(promotedAt)");
  if (!givenAgain) conditions.push("#status <> :revoked");
  const versions = Object.fromEntries(ifMatch?.map((version, index) => [`:version${index}`, version]) ?? []);
  if (ifMatch) conditions.push(`#updatedAt IN (${Object.keys(versions).join(", ")})`);
  return {
    set: {
      updatedAt,
      writeId,
      itemVersion: ITEM_VERSION,
      ...Object.fromEntries(
        members.filter(([, value]) => isStored(value)).map(([name, value]) => [name, packMember(value)]),
      ),
      ...(withdrawn && { ...frozen, event: firing(event, updatedAt) }),
    },
    assign: {
      ...(withdrawn && { ...beforeRevocation.remember, eventSequence: "#eventSequence + :one" }),
      ...(givenAgain && beforeRevocation.restore),
    },
    remove: [
      ...members.filter(([, value]) => !isStored(value)).map(([name]) => name),
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
