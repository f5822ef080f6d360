import { newEventId } from "#contract/identifiers";
import type { Runtime } from "#runtime/runtime";

/** The values that each write sets on a record. */
export interface WriteStamp {
  readonly updatedAt: string;
  readonly writeId: string;
  /** The id of the event, for writes that fire one. */
  readonly eventId: string;
}

/** The parts of the runtime that stamps use. */
export type WriteSources = Pick<Runtime, "now" | "randomBytes">;

/** A new write id: 128 random bits. */
export function newWriteId({ randomBytes }: Pick<Runtime, "randomBytes">): string {
  return Buffer.from(randomBytes(16)).toString("hex");
}

/** The stamp of a write: now, or the millisecond after `version` if that is later than this process's clock. */
export function newStamp(sources: WriteSources, writeId: string, version?: string): WriteStamp {
  const next = version === undefined ? 0 : Date.parse(version) + 1;
  const updatedAt = new Date(Math.max(sources.now().getTime(), next)).toISOString();
  return { updatedAt, writeId, eventId: newEventId(sources) };
}
