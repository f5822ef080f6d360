/**
 * The results of a piece of work for each value, in the order of the values.
 *
 * @param atOnce how many values are processed in parallel. If each needs its own connection, more would be slow to
 *   connect
 */
export async function inParallel<Value, Result>(
  values: readonly Value[],
  atOnce: number,
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = values.entries();
  const worker = async () => {
    for (const [index, value] of rest) results[index] = await work(value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
