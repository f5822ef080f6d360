/** Stands for a member that does not fit into the candidate's item, and is stored in parts beside the item. */
export interface SectionReference {
  /** SHA-256 of the packed member, in hexadecimal. */
  readonly hash: string;
  /** The write that stored the parts. No other write stores into them. */
  readonly writeId: string;
  /** The number of parts, which are numbered from 1. */
  readonly parts: number;
  /** The size of the member in a response, in bytes; see `#candidates/store/large/candidate-size`. */
  readonly responseBytes: number;
}

/** The prefix of every part's sort key. */
export const PART_PREFIX = "PART#";
/** The prefix of the sort key of every write notice; the write's id follows. */
export const WRITE_PREFIX = "WRITE#";

const PART_KEY = /^(PART#[^#]+#[^#]+#([^#]+))#\d+$/;

/** Whether an attribute is a reference to parts: members are never stored as maps, and no other map has a hash. */
export function isSectionReference(attribute: unknown): attribute is SectionReference {
  return typeof attribute === "object" && attribute !== null && "hash" in attribute;
}

/** The references among a candidate's attributes, with their section names. */
export function referencesIn(attributes: object): [section: string, reference: SectionReference][] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    isSectionReference(value) ? [[name, value]] : [],
  );
}

/** The references that a later state of the attributes no longer contains. */
export function replacedReferences(
  before: object,
  after: object,
): [section: string, reference: SectionReference][] {
  const kept = new Set(referencesIn(after).map((named) => sectionKey(...named)));
  return referencesIn(before).filter((named) => !kept.has(sectionKey(...named)));
}

/** The common prefix of the sort keys of one stored section. */
export function sectionKey(section: string, { hash, writeId }: SectionReference): string {
  return `${PART_PREFIX}${section}#${hash}#${writeId}`;
}

/** The sort keys of a section's parts, in order. */
export function partKeys(section: string, reference: SectionReference): string[] {
  return Array.from(
    { length: reference.parts },
    (_, index) => `${sectionKey(section, reference)}#${index + 1}`,
  );
}

/** The stored section that a part belongs to, and the write that stored it. */
export function parsePartKey(sortKey: string): { readonly sectionKey: string; readonly writeId: string } {
  const [, key = sortKey, writeId = ""] = PART_KEY.exec(sortKey) ?? [];
  return { sectionKey: key, writeId };
}
