import { PRICES, stepped } from "./prices.ts";
import { gigabytes, UNITS } from "./units.ts";

/** The load that deliveries put on the consumer and its queues. */
export interface Deliveries {
  readonly attempts: number;
  /** Retries and those from the retry queue: the delivery's record and the candidate are read before. */
  readonly attemptsOfRetries: number;
  /** Requests that send messages, of up to ten messages each. */
  readonly sends: number;
  /** Waits in the table. */
  readonly waits: number;
  readonly batches: number;
  /** The time that batches took together, by their functions' memory. */
  readonly gigabyteSeconds: number;
  /** How long provisioned pollers were there together, in hours. */
  readonly pollerHours: number;
  /** Receives that found no message. */
  readonly emptyReceives: number;
}

/** The cost of deliveries in US dollars, without what costs the same under any load. */
export function deliveryCost(deliveries: Deliveries): number {
  const { attempts, attemptsOfRetries, sends, waits, batches, gigabyteSeconds, pollerHours, emptyReceives } =
    deliveries;
  const logged = gigabytes(attempts * UNITS.attemptLogKilobytes);
  return (
    (batches / 1e6) * PRICES.lambdaMillionRequests +
    stepped(gigabyteSeconds / 1e6, PRICES.lambdaMillionGigabyteSeconds) +
    // A batch is received and deleted in one request each.
    ((sends + 2 * batches + emptyReceives) / 1e6) * PRICES.sqsMillionRequests +
    (waits / 1e6) *
      (UNITS.waitWriteUnits * PRICES.dynamoDbMillionWriteUnits +
        UNITS.waitReadUnits * PRICES.dynamoDbMillionReadUnits +
        UNITS.waitSends * PRICES.sqsMillionRequests) +
    pollerHours * PRICES.pollerHour +
    (attempts / 1e6) *
      (UNITS.attemptReadUnits * PRICES.dynamoDbMillionReadUnits +
        UNITS.attemptWriteUnits * PRICES.dynamoDbMillionWriteUnits) +
    (attemptsOfRetries / 1e6) * UNITS.retryReadUnits * PRICES.dynamoDbMillionReadUnits +
    logged * PRICES.logGigabyteTaken +
    gigabytes(attempts * UNITS.deliveryOutKilobytes) * PRICES.gigabyteOut
  );
}
