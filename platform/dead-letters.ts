import type { Command } from "commander";
import type * as z from "zod/mini";
import { DeadLetterList, DeadLetterQueue, Redriven } from "#webhooks/dead-letters/dead-letter-commands";
import { print, table } from "./output.ts";
import { invoke } from "./private-functions.ts";

/** `platform dead-letters …`: messages that require intervention. */
export function addDeadLetterCommands(program: Command): void {
  const deadLetters = program
    .command("dead-letters")
    .description("deliveries that exhausted their retries, unpublished events, and failed sweeps");

  deadLetters
    .command("list")
    .description("list the first 100 dead letters of each queue")
    .action(async (_options: object, command: Command) => {
      const response = await invoke(command, "list-dead-letters", {}, DeadLetterList);
      print(command, response, () =>
        response.data.length === 0
          ? "There are no dead letters."
          : table(response.data, [
              ["Queue", ({ queue }) => queue],
              ["Event", ({ queue, eventId }) => eventId ?? (queue === "sweeps" ? null : "unreadable")],
              ["Type", ({ eventType }) => eventType],
              ["Organisation", ({ orgId }) => orgId],
              ["Endpoint", ({ endpointId }) => endpointId],
            ]),
      );
    });

  deadLetters
    .command("redrive")
    .description("redrive all dead letters, starting from their first attempt")
    .action(async (_options: object, command: Command) => {
      const responses: Record<string, z.infer<typeof Redriven>> = {};
      for (const queue of DeadLetterQueue.options) responses[queue] = await redriveAll(command, queue);
      print(command, responses, () =>
        [
          ...Object.entries(responses).map(
            ([queue, { redriven, left }]) => `${queue}: ${redriven} redriven, ${left} left.`,
          ),
          ...(Object.values(responses).some(({ left }) => left > 0)
            ? ["What is left could not be read, or failed again: see docs/operations.md#deadletters."]
            : []),
        ].join("\n"),
      );
    });
}

/** Invokes the function repeatedly, because each invocation is limited, until it redrives none. */
async function redriveAll(command: Command, queue: DeadLetterQueue): Promise<z.infer<typeof Redriven>> {
  let redriven = 0;
  for (;;) {
    const round = await invoke(command, "redrive-dead-letters", { queue }, Redriven);
    redriven += round.redriven;
    if (round.redriven === 0) return { redriven, left: round.left };
  }
}
