import { type CandidateItem, type ItemMembers, membersOf } from "#candidates/store/item/candidate-item";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import type { SectionReference } from "#candidates/store/item/section-reference";
import type { ItemUpdate } from "#candidates/store/write/item-writes";

/** The references that replace members which do not fit, and whether amends must read the candidate first. */
export interface Layout {
  readonly references: Readonly<Record<string, SectionReference>>;
  readonly large: boolean;
}

/** All members fit into the item. */
export const ORDINARY: Layout = { references: {}, large: false };

/** An update without a read before it. It is refused if the candidate is large or its item's version is unknown. */
export function unseen(update: ItemUpdate): ItemUpdate {
  return {
    ...update,
    set: { ...update.set, itemVersion: ITEM_VERSION },
    conditions: [...update.conditions, "#itemVersion = :itemVersion", "attribute_not_exists(#large)"],
  };
}

/** An update of exactly the version that was read. */
export function ofVersion(
  update: ItemUpdate,
  seen: CandidateItem,
  { references, large }: Layout = ORDINARY,
): ItemUpdate {
  return {
    ...update,
    set: { ...update.set, itemVersion: ITEM_VERSION, ...references, ...(large && { large }) },
    remove: [...(update.remove ?? []), ...(large ? [] : ["large"])],
    conditions: [...update.conditions, "#updatedAt = :seen"],
    values: { ...update.values, ":seen": seen.updatedAt },
  };
}

/** A candidate's members after an update. */
export function membersAfter({ set, remove = [] }: ItemUpdate, seen: CandidateItem): ItemMembers {
  const members = Object.entries(membersOf({ ...seen, ...set }));
  return Object.fromEntries(members.filter(([name]) => !remove.includes(name)));
}
