/** How many requests a page of a recovery makes at once, each on a connection: more would be slow to connect. */
const AT_ONCE = 24;

/** The results of a piece of work for each value, in the order of the values. */
export async function inParallel<Value, Result>(
  values: readonly Value[],
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = values.entries();
  const worker = async () => {
    for (const [index, value] of rest) results[index] = await work(value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
