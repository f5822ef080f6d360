import { allOf } from "#runtime/all-of";

/**
 * The results of a piece of work for each value, in the order of the values. If one fails, no further one begins, and
 * those under way are waited for.
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
  const rest = numbered(values);
  const worker = async () => {
    for (const [index, value] of rest) results[index] = await work(value);
  };
  await allOf(Array.from({ length: atOnce }, worker));
  return results;
}

/** A generator, unlike an array's iterator, ends for all loops over it when one of them ends early. */
function* numbered<Value>(values: readonly Value[]): Generator<[number, Value]> {
  yield* values.entries();
}
