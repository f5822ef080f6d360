import { SharedDocumentType } from "#contract/candidate-record";
import { type Document, DocumentType } from "#contract/document";

/** The attribute of an item that holds the documents that readers may see. */
export const SHARED_DOCUMENTS = "documents";

const SENSITIVE_PREFIX = "documents_";

/** The document types that no reader sees: all those that the projection does not list. */
const SENSITIVE_TYPES: readonly string[] = DocumentType.options.filter((type) => !isShared(type));

/** Whether readers may see documents of this type. */
export function isShared(documentType: string): boolean {
  return SharedDocumentType.safeParse(documentType).success;
}

/** The attribute of an item that holds documents of this type. Each sensitive type has its own. */
export function documentsAttribute(documentType: string): string {
  return isShared(documentType) ? SHARED_DOCUMENTS : `${SENSITIVE_PREFIX}${documentType}`;
}

/** Whether an attribute of an item holds documents that no reader sees. */
export function isSensitiveAttribute(name: string): boolean {
  return name.startsWith(SENSITIVE_PREFIX);
}

/** The documents of one type, in the order of their numbers, which begin with 1: `candidates show` prints them. */
export function documentsOfType(documents: readonly Document[], documentType: string): readonly Document[] {
  return documents.filter((document) => document.documentType === documentType);
}

/**
 * The attributes that a new list of documents replaces: the shared documents as a whole, and only those sensitive
 * types that the list contains, so that a partner who reads, edits and writes back a list does not delete
 * documents that were hidden from it. An empty list clears all of them.
 */
export function replacedDocuments(documents: readonly Document[]): Record<string, readonly Document[]> {
  const emptied = documents.length === 0 ? SENSITIVE_TYPES.map(documentsAttribute) : [];
  return {
    [SHARED_DOCUMENTS]: [],
    ...Object.fromEntries(emptied.map((attribute) => [attribute, []])),
    ...Object.groupBy(documents, ({ documentType }) => documentsAttribute(documentType)),
  };
}

/** All documents in the attributes of an item, shared ones first. */
export function documentsIn(lists: Readonly<Record<string, unknown>>): readonly Document[] {
  const sensitive = Object.keys(lists).filter(isSensitiveAttribute).sort();
  return [SHARED_DOCUMENTS, ...sensitive].flatMap((name) => (lists[name] ?? []) as readonly Document[]);
}
