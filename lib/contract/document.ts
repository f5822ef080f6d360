import * as z from "zod/mini";
import { rule } from "#contract/rule";
import { dateTime, integer, list, nullableInteger, nullableText, object, oneOf, uri } from "#contract/values";

/** The size of the file of a document version or media item, in bytes (contract, "Limits"). */
export const fileSize = () => nullableInteger(0, 524_288_000);

/** Every document type of the contract, including the sensitive ones (contract, "Document"). */
export const DocumentType = oneOf([
  "cv",
  "cover_letter",
  "resume_supplement",
  "certification",
  "qualification",
  "academic_transcript",
  "reference_letter",
  "portfolio",
  "video_introduction",
  "work_sample",
  "identity_document",
  "right_to_work",
  "police_clearance",
  "medical_certificate",
  "other",
]);

export const DocumentVersion = object({
  version: integer(1),
  url: uri(),
  fileName: z.optional(nullableText(255)),
  contentType: z.optional(nullableText(127)),
  sizeBytes: z.optional(fileSize()),
  uploadedAt: dateTime(),
  checksum: z.optional(nullableText(128)),
  uploadedByExternalId: z.optional(nullableText(128)),
});

function versionNumbers(document: { versions?: unknown }): unknown[] | undefined {
  return Array.isArray(document.versions)
    ? document.versions.map((entry: { version?: unknown } | null | undefined) => entry?.version)
    : undefined;
}

export const Document = object(
  {
    documentType: DocumentType,
    label: z.optional(nullableText(200)),
    currentVersion: integer(1),
    versions: list(DocumentVersion, 50, 1),
  },
  rule((document) => {
    const numbers = versionNumbers(document)?.filter(Number.isInteger);
    return numbers === undefined || new Set(numbers).size === numbers.length;
  }, "version numbers that are unique within the document are expected"),
  rule((document) => {
    const numbers = versionNumbers(document);
    return (
      numbers === undefined ||
      numbers.length === 0 ||
      !Number.isInteger(document.currentVersion) ||
      numbers.includes(document.currentVersion)
    );
  }, "a currentVersion that is one of versions[].version is expected"),
);
export type Document = z.infer<typeof Document>;
