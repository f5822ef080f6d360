import * as z from "zod/mini";
import { OrgId } from "#contract/organisation";
import { expecting } from "#contract/values";

/** The members by which the payload of a private function names an endpoint. */
export const endpointMembers = {
  orgId: OrgId,
  endpointId: z.string({ error: expecting("a webhook endpoint's id") }),
};
