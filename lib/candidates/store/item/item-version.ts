/** The storage version that this code reads and writes; see docs/data-model.md. */
export const ITEM_VERSION = 1;

/**
 * Prevents older code, for example after a rollback, from misreading or partly overwriting newer items.
 *
 * @throws Error if the item is of a version that this code does not support
 */
export function assertKnownVersion({ itemVersion }: { readonly itemVersion: number }): void {
  if (itemVersion !== ITEM_VERSION) {
    throw new Error(
      `The item has version ${itemVersion}, but this code supports only version ${ITEM_VERSION}.`,
    );
  }
}
