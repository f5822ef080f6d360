import { type ItemMembers, isShown } from "#candidates/store/item/candidate-item";
import { jsonOf, type StoredMember } from "#candidates/store/item/member-codec";
import { isSectionReference, type SectionReference } from "#candidates/store/item/section-reference";

/**
 * What a create or amend may hold, in bytes of JSON, to be written without a look at what is there: it fits
 * into an item whatever it is, and does not make an answer too large; see {@link isLarge}.
 */
export const ORDINARY_BYTES = 128 * 1024;

/**
 * What members may take of an item that is laid out anew, in bytes. The rest of its 400 KB (Amazon DynamoDB
 * quotas) is for keys, state and the event, whose fifty reasons take 100 KB, and for amends to come.
 */
const INLINE_BYTES = 256 * 1024;

/**
 * What a candidate may take of an answer, in bytes: Lambda's 6 MB (AWS Lambda quotas) but for the headers
 * and the nulls and empty lists that the record fills in, at most 300 KB.
 */
const ANSWER_BYTES = 5_900_000;

/**
 * What an amend leaves of that to the platform, in bytes, so that no amend keeps it from adding or overriding
 * an assessment: four of the largest (contract, "Assessment").
 */
const PLATFORM_BYTES = 500_000;

/** Who writes, and so how much of an answer a candidate may take. */
export type Writer = "create" | "amend" | "platform";

/**
 * From this on an amend must read the candidate first, to keep its answer within bounds. Below it no run of
 * ordinary amends passes them: seven lists of 128 KiB each and 100 KB of smaller members, doubled by
 * quotation marks, are 2.1 MB.
 */
const LARGE_ANSWER_BYTES = 3_300_000;

/** What a member takes of an answer, in bytes: its JSON once more as a JSON string, as Lambda carries it. */
export function answerBytes(member: StoredMember | SectionReference): number {
  return isSectionReference(member)
    ? member.answerBytes
    : Buffer.byteLength(JSON.stringify(jsonOf(member))) - '""'.length;
}

/** Whether a change of members makes a candidate that no answer can carry. */
export function outgrowsAnswers(next: ItemMembers, current: ItemMembers, writer: Writer): boolean {
  const bytes = answerBytesOf(next);
  const most = writer === "amend" ? ANSWER_BYTES - PLATFORM_BYTES : ANSWER_BYTES;
  return bytes > most && bytes > answerBytesOf(current);
}

/** Whether amends of a candidate with these members must read it first. */
export function isLarge(members: ItemMembers): boolean {
  return Object.values(members).some(isSectionReference) || answerBytesOf(members) > LARGE_ANSWER_BYTES;
}

/** Whether members fit one item, and leave amends free not to read it first. */
export function isOrdinary(members: ItemMembers): boolean {
  return !isLarge(members) && membersWithoutRoom(members).length === 0;
}

/** The members to be kept in parts for the others to have room in the item: the largest first. */
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

/** A reference's hash and write id with the names of its attributes, rounded up. */
const REFERENCE_BYTES = 200;

function itemBytes(member: StoredMember | SectionReference): number {
  if (member instanceof Uint8Array) return member.length;
  return isSectionReference(member) ? REFERENCE_BYTES : Buffer.byteLength(String(member));
}

function answerBytesOf(members: ItemMembers): number {
  return Object.entries(members).reduce(
    (sum, [name, member]) => (isShown(name) ? sum + answerBytes(member) : sum),
    0,
  );
}
