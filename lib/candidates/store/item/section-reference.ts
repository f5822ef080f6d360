/** Stands in a candidate's item for a member that has no room there and is kept in parts beside it. */
export interface SectionReference {
  /** SHA-256 of the packed member, in hexadecimal. */
  readonly hash: string;
  /** The write that stored the parts. They are its own: no other write stores into them. */
  readonly writeId: string;
  /** How many parts there are; they count from 1. */
  readonly parts: number;
  /** What the member takes of an answer, in bytes; see `#candidates/store/large/candidate-size`. */
  readonly answerBytes: number;
}

/** What every part's sort key begins with. */
export const PART_PREFIX = "PART#";
/** What the sort key of every notice of a write begins with; the write's id follows. */
export const WRITE_PREFIX = "WRITE#";

const PART_KEY = /^(PART#[^#]+#[^#]+#([^#]+))#\d+$/;

/** Whether an attribute is a reference to parts: no member is stored as a map, and no other map has a hash. */
export function isSectionReference(attribute: unknown): attribute is SectionReference {
  return typeof attribute === "object" && attribute !== null && "hash" in attribute;
}

/** The references among a candidate's attributes, with the names of their sections. */
export function referencesIn(attributes: object): [section: string, reference: SectionReference][] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    isSectionReference(value) ? [[name, value]] : [],
  );
}

/** The references of which a later state of the attributes knows nothing. */
export function replacedReferences(
  before: object,
  after: object,
): [section: string, reference: SectionReference][] {
  const kept = new Set(referencesIn(after).map((named) => sectionKey(...named)));
  return referencesIn(before).filter((named) => !kept.has(sectionKey(...named)));
}

/** What the sort keys of one stored section share. */
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

/** Which stored section a part belongs to, and the write that stored it. */
export function parsePartKey(sortKey: string): { readonly sectionKey: string; readonly writeId: string } {
  const [, key = sortKey, writeId = ""] = PART_KEY.exec(sortKey) ?? [];
  return { sectionKey: key, writeId };
}
