import { SharedDocumentType } from "#contract/candidate-record";
import { type Document, DocumentType } from "#contract/document";

/** The attribute of an item that holds the documents that a reader may see. */
export const SHARED_DOCUMENTS = "documents";

const SENSITIVE_PREFIX = "documents_";

/** The document types that no reader sees: all that the projection does not list. */
const SENSITIVE_TYPES: readonly string[] = DocumentType.options.filter((type) => !isShared(type));

/** Whether a reader may see documents of this type. */
export function isShared(documentType: string): boolean {
  return SharedDocumentType.safeParse(documentType).success;
}

/** The attribute of an item that holds the documents of a type: one of its own for each sensitive type. */
export function documentsAttribute(documentType: string): string {
  return isShared(documentType) ? SHARED_DOCUMENTS : `${SENSITIVE_PREFIX}${documentType}`;
}

/** Whether an attribute of an item holds documents that no reader sees. */
export function isSensitiveAttribute(name: string): boolean {
  return name.startsWith(SENSITIVE_PREFIX);
}

/**
 * The attributes that a list of documents replaces: what a reader sees as a whole, and of the sensitive types
 * those that the list names, so that who reads, edits and writes back deletes nothing unseen. An empty list
 * empties all of them.
 */
export function replacedDocuments(documents: readonly Document[]): Record<string, readonly Document[]> {
  const emptied = documents.length === 0 ? SENSITIVE_TYPES.map(documentsAttribute) : [];
  return {
    [SHARED_DOCUMENTS]: [],
    ...Object.fromEntries(emptied.map((attribute) => [attribute, []])),
    ...Object.groupBy(documents, ({ documentType }) => documentsAttribute(documentType)),
  };
}

/** All documents that the attributes of an item hold, those that a reader may see first. */
export function documentsIn(lists: Readonly<Record<string, unknown>>): readonly Document[] {
  const sensitive = Object.keys(lists).filter(isSensitiveAttribute).sort();
  return [SHARED_DOCUMENTS, ...sensitive].flatMap((name) => (lists[name] ?? []) as readonly Document[]);
}
