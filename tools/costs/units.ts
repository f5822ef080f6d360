/** What one request, event, attempt or candidate takes. */
export const UNITS = {
  // Measured: ConsumedCapacity of DynamoDB Local for a submission of 9.2 KB, and with three endpoints.
  createWriteUnits: 4,
  amendWriteUnits: 4,
  transitionWriteUnits: 4,
  transitionReadUnits: 1,
  readReadUnits: 1,
  /** A page of the event feed without events: one for each of its partition keys. */
  pollReadUnits: 4,
  publishReadUnits: 1,
  attemptReadUnits: 1,
  /** Beside that: the delivery's record, and the candidate. */
  retryReadUnits: 2,
  attemptWriteUnits: 1,
  /** An event that is published alone; in a burst a tenth of it. */
  feedWriteUnits: 1,
  /** 293 bytes (measured), 100 of them DynamoDB's own for each item, and a tenth for the days until it is removed. */
  feedKilobytes: 0.32,
  /** A wait in the table: written, read with others, deleted, and sent with others (docs/decisions/0041). */
  waitWriteUnits: 2,
  waitReadUnits: 1 / 6,
  waitSends: 1 / 10,
  candidateKilobytes: 4,
  deliveryRecordKilobytes: 0.8,
  // Assumed: not measured on AWS. Gigabytes are the functions' memory, seconds what they are billed.
  requestGigabyteSeconds: 1 * 0.03,
  /** Of each further row of a batch: its function computes for 1.4 ms (measured), and waits for the table meanwhile. */
  batchRowGigabyteSeconds: 1.73 * 0.002,
  authorizationsPerRequest: 0.2,
  authorizationGigabyteSeconds: 0.5 * 0.015,
  transitionGigabyteSeconds: 0.5 * 0.03,
  // An event and an attempt are often alone in their batch; under load batches fill and these shrink.
  publishGigabyteSeconds: 0.5 * 0.05,
  /** Of that, the put into the event feed. */
  feedGigabyteSeconds: 0.5 * 0.01,
  attemptGigabyteSeconds: 0.5 * 0.16,
  // Log lines of ours and of Lambda, and the access log's.
  requestLogKilobytes: 1.92,
  /** Of a create or an amend: most bodies are over the 8 KB that a rule of the web ACL counts from. */
  webAclLogKilobytes: 2,
  // The functions that run for each event have only lines of ours (infra/service-function.ts).
  publishLogKilobytes: 0.49,
  attemptLogKilobytes: 1.17,
  keptLogShare: 0.2,
  responseKilobytes: 9,
  deliveryOutKilobytes: 1.5,
  /** Of what comes after the first in each second (AWS X-Ray's default rule). */
  tracedShare: 0.05,
} as const;

/** What costs the same under any load. */
export const STANDING = {
  /**
   * Those of deliveries, that of batches, of refused keys and of the rate limit: as if each had a value in every hour.
   */
  metrics: 15,
  /** An alarm is billed by the metrics that it refers to. */
  alarmedMetrics: 129,
  /** Those of them that are there for the event feed and recoveries. */
  feedAlarmedMetrics: 6,
  webAclRules: 5,
  /** The batches that wait for messages of an idle queue: five, or ten for each provisioned poller. */
  waitingBatches: 5,
  waitingBatchesOfPoller: 10,
  /** Each receives for 20 s at a time: assumed for pollers, which may receive ten times a second (AWS Lambda guide). */
  millionReceives: (3 * 60 * 24 * 30) / 1e6,
} as const;

export function gigabytes(kilobytes: number): number {
  return kilobytes / 1e6;
}
