import * as z from "zod/mini";
import { isEndpointId } from "#contract/identifiers";
import { OrgId } from "#contract/organisation";
import { expecting } from "#contract/values";

const ENDPOINT_ID = { error: expecting("a webhook endpoint's id") };

/** The members by which the payload of a private function names an endpoint. */
export const endpointMembers = {
  orgId: OrgId,
  endpointId: z.string(ENDPOINT_ID).check(z.refine((id) => isEndpointId(id), ENDPOINT_ID)),
};
