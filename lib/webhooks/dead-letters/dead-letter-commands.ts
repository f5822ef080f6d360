import * as z from "zod/mini";
import { object } from "#contract/values";

/** The dead-letter queues: deliveries that exhausted their retries, unpublished events, and failed sweeps. */
export const DeadLetterQueue = z.enum(["deliveries", "events", "sweeps"]);
export type DeadLetterQueue = z.infer<typeof DeadLetterQueue>;

/** The payload of the private function `list-dead-letters`: it has no members. */
export const ListDeadLetters = object({});

/** The payload of the private function `redrive-dead-letters`. */
export const RedriveDeadLetters = object({ queue: DeadLetterQueue });

/** What the private function `list-dead-letters` returns: summaries of the first 100 dead letters of each queue. */
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

/** How many dead letters a redrive settled, and how many it left in the queue. */
export const Redriven = z.object({ redriven: z.int(), left: z.int() });
