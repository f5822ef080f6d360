import type { UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Handle } from "#candidates/handles";
import { isStored, packMember } from "#candidates/member-codec";
import type { CandidateAmendment } from "#contract/candidate-submission";

export interface AmendOptions {
  /** Versions (`updatedAt`) one of which the record must still have; any when absent. */
  readonly ifMatch?: readonly string[] | undefined;
}

interface Write extends AmendOptions {
  readonly updatedAt: string;
  /** Told apart by this, a write that the SDK repeats recognises itself. */
  readonly writeId: string;
}

/**
 * An amend as one update: it sets the members that are present, removes those that are null or empty,
 * and touches no other. Consent that is withdrawn freezes the record and remembers what it was; consent
 * that is given again restores that.
 */
export function updateFor(
  amendment: CandidateAmendment,
  handle: Handle,
  { updatedAt, writeId, ifMatch }: Write,
): Pick<
  UpdateCommandInput,
  "UpdateExpression" | "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
> {
  const set = new Map<string, string>();
  const remove: string[] = [];
  const values: Record<string, unknown> = { ":erased": "erased" };
  const setValue = (attribute: string, value: unknown) => {
    set.set(attribute, `:${attribute}`);
    values[`:${attribute}`] = value;
  };

  setValue("updatedAt", updatedAt);
  setValue("writeId", writeId);
  for (const [member, value] of Object.entries(amendment)) {
    if (isStored(value)) setValue(member, packMember(value));
    else remove.push(member);
  }
  if (amendment.consentGiven === false) {
    setValue("status", "consent_revoked");
    setValue("availabilityStatus", "pending");
    set.set("statusBeforeRevocation", "#status");
    set.set("availabilityStatusBeforeRevocation", "#availabilityStatus");
  }
  if (amendment.consentGiven === true) {
    set.set("status", "if_not_exists(#statusBeforeRevocation, #status)");
    set.set("availabilityStatus", "if_not_exists(#availabilityStatusBeforeRevocation, #availabilityStatus)");
    remove.push("statusBeforeRevocation", "availabilityStatusBeforeRevocation");
  }

  const conditions = ["attribute_exists(pk)", "#status <> :erased", "#updatedAt < :updatedAt"];
  if (handle.kind === "canonical") conditions.push("attribute_exists(promotedAt)");
  if (amendment.consentGiven !== true) {
    conditions.push("#status <> :consent_revoked");
    values[":consent_revoked"] = "consent_revoked";
  }
  if (ifMatch) {
    const versions = ifMatch.map((version, index) => [`:version${index}`, version] as const);
    conditions.push(`#updatedAt IN (${versions.map(([name]) => name).join(", ")})`);
    Object.assign(values, Object.fromEntries(versions));
  }

  const assignments = [...set].map(([attribute, operand]) => `#${attribute} = ${operand}`);
  const removals = remove.map((attribute) => `#${attribute}`);
  return {
    UpdateExpression: `SET ${assignments.join(", ")}${removals.length > 0 ? ` REMOVE ${removals.join(", ")}` : ""}`,
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(
      ["status", ...set.keys(), ...remove].map((attribute) => [`#${attribute}`, attribute]),
    ),
    ExpressionAttributeValues: values,
  };
}
