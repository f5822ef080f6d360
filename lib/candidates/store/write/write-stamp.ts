import type { WriteStamp } from "#candidates/lifecycle";
import { newEventId } from "#contract/identifiers";
import type { Runtime } from "#runtime/runtime";

/** What writes are stamped with, of where the process runs. */
export type WriteSources = Pick<Runtime, "now" | "randomBytes">;

/** A new id of a write: 128 random bits. */
export function newWriteId({ randomBytes }: Pick<Runtime, "randomBytes">): string {
  return Buffer.from(randomBytes(16)).toString("hex");
}

/** The stamp of a write: as of now, or of the millisecond after a version that is later than this process's clock. */
export function newStamp(sources: WriteSources, writeId: string, version?: string): WriteStamp {
  const next = version === undefined ? 0 : Date.parse(version) + 1;
  const updatedAt = new Date(Math.max(sources.now().getTime(), next)).toISOString();
  return { updatedAt, writeId, eventId: newEventId(sources) };
}
