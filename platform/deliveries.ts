import type { Command } from "commander";
import * as z from "zod/mini";
import { Recovery } from "#contract/recovery";
import {
  DELIVERIES_LISTED,
  DeliveryList,
  InspectDeliveries,
  RedeliverEvent,
} from "#webhooks/delivery/delivery-commands";
import { InspectRecovery, RecoverDeliveries } from "#webhooks/recoveries/recovery-commands";
import { details, print, table } from "./output.ts";
import { invoke } from "./private-functions.ts";

interface EndpointOptions {
  readonly org: string;
  readonly endpoint: string;
}

/** `platform deliveries …`: deliveries to webhook endpoints in the last 30 days. */
export function addDeliveryCommands(program: Command): void {
  const deliveries = program.command("deliveries").description("webhook deliveries of the last 30 days");

  endpointCommand(deliveries, "list", "list an endpoint's deliveries, newest first")
    .option("--limit <number>", "the maximum number of deliveries, up to 100", Number, DELIVERIES_LISTED)
    .option("--after <eventId>", "continue after this event")
    .action(
      async (
        { org, endpoint, limit, after }: EndpointOptions & { limit: number; after?: string },
        command: Command,
      ) => {
        const response = await invoke(
          command,
          "inspect-deliveries",
          { orgId: org, endpointId: endpoint, limit, after },
          { input: InspectDeliveries, output: DeliveryList },
        );
        print(command, response, () =>
          response.data.length === 0
            ? "There are no deliveries. Check --org and --endpoint if there should be."
            : table(response.data, [
                ["Event", ({ eventId }) => eventId],
                ["Type", ({ eventType }) => eventType],
                ["Status", ({ status, reason }) => (reason ? `${status}: ${reason}` : status)],
                ["Attempts", ({ attempts }) => attempts.length],
                ["Last response", ({ attempts }) => attempts.at(-1)?.statusCode ?? attempts.at(-1)?.failure],
                ["Last attempt", ({ attempts }) => attempts.at(-1)?.at],
                ["Next attempt", ({ nextAttemptAt }) => nextAttemptAt],
              ]),
        );
      },
    );

  endpointCommand(deliveries, "resend", "send an event again, starting from its first attempt")
    .requiredOption("--event <eventId>", "the event")
    .action(async ({ org, endpoint, event }: EndpointOptions & { event: string }, command: Command) => {
      const response = await invoke(
        command,
        "redeliver-event",
        { orgId: org, endpointId: endpoint, eventId: event },
        { input: RedeliverEvent, output: z.object({ eventId: z.string() }) },
      );
      print(command, response, () => `${response.eventId} is queued for delivery to ${endpoint}.`);
    });

  addRecoveryCommands(deliveries);
}

/** Recoveries of what an endpoint missed: to start one, and to follow it. */
function addRecoveryCommands(deliveries: Command): void {
  endpointCommand(deliveries, "recover", "send an endpoint every event that it has not acknowledged")
    .option(
      "--since <time>",
      "the start, such as 2026-11-21T09:00:00Z; by default, the time at which the endpoint began to miss events because it was inactive",
    )
    .option("--until <time>", "the end; now by default")
    .option(
      "--types <types...>",
      "only events of these types; by default, those that the endpoint is subscribed to",
    )
    .action(
      async ({ org, endpoint, since, until, types }: EndpointOptions & RecoverOptions, command: Command) => {
        const input = { orgId: org, endpointId: endpoint, since, until, eventTypes: types };
        const response = await invoke(command, "recover-deliveries", input, {
          input: RecoverDeliveries,
          output: z.nullable(Recovery),
        });
        const follow = (id: string) =>
          `Show its progress: deliveries recovery --org ${org} --endpoint ${endpoint} --recovery ${id}`;
        print(command, response, () =>
          response ? `${recoveryDetails(response)}\n\n${follow(response.id)}` : NOTHING_MISSED,
        );
      },
    );

  endpointCommand(deliveries, "recovery", "show the progress of a recovery")
    .requiredOption("--recovery <recoveryId>", "the recovery")
    .action(async ({ org, endpoint, recovery }: EndpointOptions & { recovery: string }, command: Command) => {
      const input = { orgId: org, endpointId: endpoint, recoveryId: recovery };
      const response = await invoke(command, "inspect-recovery", input, {
        input: InspectRecovery,
        output: Recovery,
      });
      print(command, response, () => recoveryDetails(response));
    });
}

const NOTHING_MISSED =
  "There is nothing to recover: the endpoint has missed no events, or a recovery has queued them. Use --since <time> to send the events that it has not acknowledged since then.";

interface RecoverOptions {
  readonly since?: string;
  readonly until?: string;
  readonly types?: readonly string[];
}

function recoveryDetails({ id, status, reason, since, until, found, sent, endedAt }: Recovery): string {
  return details([
    ["Recovery", id],
    ["Status", reason ? `${status}: ${reason}` : status],
    ["Events since", since],
    ["Events until", until],
    ["Events that were not acknowledged", found],
    ["Events queued for delivery", sent],
    ["Ended", endedAt ?? null],
  ]);
}

function endpointCommand(deliveries: Command, name: string, description: string): Command {
  return deliveries
    .command(name)
    .description(description)
    .requiredOption("--org <orgId>", "the organisation")
    .requiredOption("--endpoint <endpointId>", "the webhook endpoint");
}
