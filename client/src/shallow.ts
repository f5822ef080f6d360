/** How deep JSON may be nested: ten times deeper than the service's own. A deeper one could exhaust the stack. */
export const DEEPEST = 100;

/** Whether JSON is nested at most {@link DEEPEST} levels deep. */
export function isShallow(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}
