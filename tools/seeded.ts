/**
 * Park and Miller's minimal standard generator: the same numbers from 0 to 1 for the same seed.
 *
 * @param seed a whole number from 1 to 2,147,483,646
 */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
