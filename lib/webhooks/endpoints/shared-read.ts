/**
 * Calls that begin while one with the same ids is under way get its result. The messages of a batch begin together, so
 * a batch reads each item once.
 */
export function sharedRead<Ids extends readonly string[], Result>(
  read: (...ids: Ids) => Promise<Result>,
): (...ids: Ids) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>();
  return (...ids) => {
    const key = JSON.stringify(ids);
    const result = underWay.get(key) ?? read(...ids).finally(() => underWay.delete(key));
    underWay.set(key, result);
    return result;
  };
}
