import type { Command } from "commander";
import type * as z from "zod/mini";
import {
  DeadLetterList,
  DeadLetterQueue,
  ListDeadLetters,
  RedriveDeadLetters,
  Redriven,
} from "#webhooks/dead-letters/dead-letter-commands";
import { CommandError } from "../client/terminal/errors.ts";
import { print, table } from "./output.ts";
import { invoke } from "./private-functions.ts";

/** The section of the runbook for each queue. */
const RUNBOOK: Readonly<Record<DeadLetterQueue, string>> = {
  deliveries: "deadletters",
  events: "unreadableevents",
  sweeps: "unsweptparts",
};

/** `platform dead-letters …`: messages that require intervention. */
export function addDeadLetterCommands(program: Command): void {
  const deadLetters = program
    .command("dead-letters")
    .description("deliveries that exhausted their retries, unpublished events, and failed sweeps");

  deadLetters
    .command("list")
    .description("list the first 100 dead letters of each queue")
    .action(async (_options: object, command: Command) => {
      const response = await invoke(
        command,
        "list-dead-letters",
        {},
        {
          input: ListDeadLetters,
          output: DeadLetterList,
        },
      );
      print(command, response, () =>
        response.data.length === 0
          ? "There are no dead letters."
          : table(response.data, [
              ["Queue", ({ queue }) => queue],
              // A letter of the other queues names no event, whether or not a redrive can read it.
              ["Event", ({ queue, eventId }) => eventId ?? (queue === "deliveries" ? "unreadable" : null)],
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
      const responses: Responses = {};
      try {
        for (const queue of DeadLetterQueue.options) await redriveAll(command, queue, responses);
      } finally {
        if (Object.keys(responses).length > 0) print(command, responses, () => describe(responses));
      }
      const sections = DeadLetterQueue.options
        .filter((queue) => (responses[queue]?.left ?? 0) > 0)
        .map((queue) => `docs/operations.md#${RUNBOOK[queue]}`);
      if (sections.length > 0) {
        throw new CommandError(
          `What is left could not be read, or failed again: see ${sections.join(" and ")}.`,
        );
      }
    });
}

/** The result for each queue; after a failure, what was done before it. */
type Responses = Partial<Record<DeadLetterQueue, z.infer<typeof Redriven>>>;

function describe(responses: Responses): string {
  return Object.entries(responses)
    .map(([queue, { redriven, left }]) => `${queue}: ${redriven} redriven, ${left} left.`)
    .join("\n");
}

/** Invokes the function repeatedly, because each invocation is limited, until it redrives none. */
async function redriveAll(command: Command, queue: DeadLetterQueue, responses: Responses): Promise<void> {
  for (let isOver = false; !isOver; ) {
    const { redriven, left } = await invoke(
      command,
      "redrive-dead-letters",
      { queue },
      {
        input: RedriveDeadLetters,
        output: Redriven,
      },
    );
    responses[queue] = { redriven: redriven + (responses[queue]?.redriven ?? 0), left };
    isOver = redriven === 0;
  }
}
