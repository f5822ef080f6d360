import { SHARED_DOCUMENT_TYPES, submission } from "./bounds.ts";
import { withDefaults } from "./cases.ts";
import type { JsonObject } from "./json.ts";

const NULL_WHEN_UNSET = ["middleName", "preferredName", "headline", "summary"];

/** The members of the safe projection that a submission decides (contract, "Candidate record"). */
export const RETURNED = [
  "externalId",
  "firstName",
  "lastName",
  ...NULL_WHEN_UNSET,
  "nationality",
  "countryOfResidence",
  "skills",
  "workHistory",
  "education",
  "languages",
  "workEligibility",
  "jobPreferences",
  "tags",
  "documents",
  "links",
  "media",
  "assessments",
];

/** The members that the platform adds. */
export const PLATFORM_MEMBERS = [
  "id",
  "status",
  "availabilityStatus",
  "verificationStatus",
  "workReadinessScore",
  "updatedAt",
];

/** What a submission must read back as, member by member, by the contract's tables. */
export function recordMembersOf(body: object): JsonObject {
  const kept = withDefaults(submission, { jobPreferences: {}, ...body }) as JsonObject;
  const record: JsonObject = {};
  for (const name of RETURNED) {
    if (kept[name] !== undefined) record[name] = kept[name];
    else if (NULL_WHEN_UNSET.includes(name)) record[name] = null;
  }
  record["workHistory"] = items(kept["workHistory"]).map((item) => ({
    endDate: null,
    location: null,
    description: null,
    ...item,
  }));
  record["documents"] = items(kept["documents"])
    .filter(({ documentType }) => SHARED_DOCUMENT_TYPES.includes(documentType as SharedType))
    .map((document) => ({
      label: null,
      ...document,
      versions: items(document["versions"]).map((version) => ({
        fileName: null,
        contentType: null,
        sizeBytes: null,
        checksum: null,
        uploadedByExternalId: null,
        ...version,
      })),
    }));
  return record;
}

type SharedType = (typeof SHARED_DOCUMENT_TYPES)[number];

function items(list: unknown): JsonObject[] {
  return list as JsonObject[];
}
