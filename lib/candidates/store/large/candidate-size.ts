import { type ItemMembers, isShown } from "#candidates/store/item/candidate-item";
import { jsonOf, type StoredMember } from "#candidates/store/item/member-codec";
import { isSectionReference, type SectionReference } from "#candidates/store/item/section-reference";

/**
 * The largest create or amend, in bytes of JSON, that is written without reading the candidate first. It fits
 * into any item that is not large, and keeps the response within its limit; see {@link isLarge}.
 */
export const ORDINARY_BYTES = 128 * 1024;

/**
 * The most that members may take up in an item, in bytes, when some are moved into parts. The rest of the 400 KB
 * (Amazon DynamoDB quotas) is for keys, state and the event, whose fifty reasons take 100 KB, and for later amends.
 */
const INLINE_BYTES = 256 * 1024;

/**
 * The most that a candidate may take up in a response, in bytes: Lambda's 6 MB (AWS Lambda quotas) less the headers
 * and the nulls and empty lists that the record adds, at most 300 KB.
 */
const RESPONSE_BYTES = 5_900_000;

/**
 * The share of {@link RESPONSE_BYTES} reserved for the platform, in bytes, so that no amend prevents it from adding or
 * overriding an assessment. It holds two of the largest assessments (contract, "Assessment"): a control character takes
 * seven bytes. Of texts without control characters it holds four.
 */
const PLATFORM_BYTES = 500_000;

/** The writer, which determines the share of a response that a candidate may take up. */
export type Writer = "create" | "amend" | "platform";

/**
 * Above this size an amend must read the candidate first, to keep the response within its limit. Ordinary amends
 * alone do not reach it: seven lists of 128 KiB each and 100 KB of smaller members, doubled by escaped quotation
 * marks, are 2.1 MB.
 */
const LARGE_RESPONSE_BYTES = 3_300_000;

/** The size of a member in a response, in bytes: its JSON inside a JSON string, the form in which Lambda returns it. */
export function responseBytes(member: StoredMember | SectionReference): number {
  return isSectionReference(member)
    ? member.responseBytes
    : Buffer.byteLength(JSON.stringify(jsonOf(member))) - '""'.length;
}

/** The share of a response that a candidate may take up after a write, in bytes. */
export function responseLimit(writer: Writer): number {
  return writer === "amend" ? RESPONSE_BYTES - PLATFORM_BYTES : RESPONSE_BYTES;
}

/** Whether a change of members makes the candidate too large for a response. */
export function outgrowsResponse(next: ItemMembers, current: ItemMembers, writer: Writer): boolean {
  const bytes = responseBytesOf(next);
  return bytes > responseLimit(writer) && bytes > responseBytesOf(current);
}

/** Whether amends of a candidate with these members must read it first. */
export function isLarge(members: ItemMembers): boolean {
  return Object.values(members).some(isSectionReference) || responseBytesOf(members) > LARGE_RESPONSE_BYTES;
}

/** Whether members fit into one item, and later amends need not read it first. */
export function isOrdinary(members: ItemMembers): boolean {
  return !isLarge(members) && membersWithoutRoom(members).length === 0;
}

/** The members to store in parts so that the others fit into the item, largest first. */
export function membersWithoutRoom(members: ItemMembers): [section: string, packed: Uint8Array][] {
  let bytes = 0;
  for (const [name, member] of Object.entries(members)) bytes += name.length + itemBytes(member);
  const largestFirst = Object.entries(members)
    .filter((entry): entry is [string, Uint8Array] => entry[1] instanceof Uint8Array)
    .sort(([, left], [, right]) => right.length - left.length);
  const moved: [string, Uint8Array][] = [];
  for (const [name, packed] of largestFirst) {
    if (bytes <= INLINE_BYTES) break;
    moved.push([name, packed]);
    bytes += REFERENCE_BYTES - packed.length;
  }
  return moved;
}

/** The hash and write id of a reference and its attribute names, in bytes, rounded up. */
const REFERENCE_BYTES = 200;

function itemBytes(member: StoredMember | SectionReference): number {
  if (member instanceof Uint8Array) return member.length;
  return isSectionReference(member) ? REFERENCE_BYTES : Buffer.byteLength(String(member));
}

function responseBytesOf(members: ItemMembers): number {
  return Object.entries(members).reduce(
    (sum, [name, member]) => (isShown(name) ? sum + responseBytes(member) : sum),
    0,
  );
}
