/** What all resolve to. Waits for all, even if one fails, since Lambda would freeze the others. */
export async function allOf<Results extends readonly unknown[] | []>(promises: Results) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
