/**
 * How many runs a property has whose runs take requests or an engine: a fifth with `npm test`, and all with
 * `npm run test:long` and for mutants.
 *
 * @param most all runs
 */
export function propertyRuns(most: number): number {
  return process.env["PROPERTY_RUNS"] === "all" ? most : Math.ceil(most / 5);
}
