import { crc32 } from "node:zlib";

/**
 * How many partition keys the records of an endpoint are spread over. One takes 1,000 writes a second, and DynamoDB
 * does not split it, because event ids increase (Amazon DynamoDB developer guide, "DynamoDB burst and adaptive
 * capacity" and "Using write sharding to distribute workloads evenly").
 */
export const PARTITION_KEYS = 10;

/** The partition keys of an endpoint's records. */
export function partitionKeysOf(endpointId: string): string[] {
  return Array.from({ length: PARTITION_KEYS }, (_, number) => partitionKeyOf(endpointId, number));
}

function partitionKeyOf(endpointId: string, number: number): string {
  return `ENDPOINT#${endpointId}#${number}`;
}

export function sortKeyOf(eventId: string): string {
  return `DELIVERY#${eventId}`;
}

/** The key of a delivery's record. */
export function deliveryRecordKey(endpointId: string, eventId: string) {
  return { pk: partitionKeyOf(endpointId, crc32(eventId) % PARTITION_KEYS), sk: sortKeyOf(eventId) };
}
