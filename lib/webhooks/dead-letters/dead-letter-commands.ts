import * as z from "zod/mini";
import { object } from "#contract/values";

/** The dead-letter queues: of deliveries that exhausted their retries, events not published, and failed sweeps. */
export const DeadLetterQueue = z.enum(["deliveries", "events", "sweeps"]);
export type DeadLetterQueue = z.infer<typeof DeadLetterQueue>;

/** What the private function `redrive-dead-letters` is invoked with. */
export const RedriveDeadLetters = object({ queue: DeadLetterQueue });

/** What the private function `list-dead-letters` returns: what is known of each letter, the first 100. */
export const DeadLetterList = z.object({
  data: z.array(
    z.object({
      queue: DeadLetterQueue,
      eventId: z.nullable(z.string()),
      eventType: z.nullable(z.string()),
      endpointId: z.nullable(z.string()),
      orgId: z.nullable(z.string()),
    }),
  ),
});
export type DeadLetterList = z.infer<typeof DeadLetterList>;

/** How many dead letters a redrive put back, and how many it had to leave. */
export const Redriven = z.object({ redriven: z.int(), left: z.int() });
