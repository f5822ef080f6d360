/**
 * What happens to a request on its way to DynamoDB and back:
 * - `lost`: it is carried out, and the connection breaks in place of a response.
 * - `throttled`: it is refused with DynamoDB's own error, and not carried out.
 * - `reset`: the connection breaks, and it is not carried out.
 * - `delayed`: it, or its response, is held back for 50 to 2,500 ms, and it is carried out even if the caller no
 *   longer waits. The service's timeout of an attempt, 2 s, lies between.
 */
export type Fault = "lost" | "throttled" | "reset" | "delayed";

/** The share of requests, from 0 to 1, that each fault happens to; all others pass. */
export type Shares = Readonly<Partial<Record<Fault, number>>>;

/** No faults at all. */
export const CALM: Shares = {};

const FAULTS = ["lost", "throttled", "reset", "delayed"] as const;

/** The fault that a random number from 0 to 1 stands for; undefined when the request passes. */
export function faultAt(point: number, shares: Shares): Fault | undefined {
  let bound = 0;
  return FAULTS.find((fault) => {
    bound += shares[fault] ?? 0;
    return point < bound;
  });
}
