/**
 * The value of the attribute `deleteAfter` for an item that DynamoDB may delete from a moment on: seconds since 1970
 * (Amazon DynamoDB developer guide, "Using time to live (TTL) in DynamoDB").
 *
 * @param moment in ms since 1970
 */
export function timeToLive(moment: number): number {
  return Math.floor(moment / 1000);
}
