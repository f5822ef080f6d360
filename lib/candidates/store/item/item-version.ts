/** The newest stored form that this code reads, and the one that it writes; see docs/data-model.md. */
export const ITEM_VERSION = 1;

/**
 * Older code must not misread or half overwrite what newer code wrote, as after a rollback.
 *
 * @throws Error when the item is of a newer form than this code knows
 */
export function assertKnownVersion({ itemVersion }: { readonly itemVersion: number }): void {
  if (!(itemVersion <= ITEM_VERSION)) {
    throw new Error(`The item is of version ${itemVersion}; this code reads ${ITEM_VERSION} and older.`);
  }
}
