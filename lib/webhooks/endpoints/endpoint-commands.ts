import { idPattern } from "#contract/identifiers";
import { OrgId } from "#contract/organisation";
import { pattern } from "#contract/values";

/** The members by which the payload of a private function names an endpoint. */
export const endpointMembers = {
  orgId: OrgId,
  endpointId: pattern(idPattern("whe"), "a webhook endpoint's id"),
};
