/**
 * An alarm and its fix, as docs/operations.md describes them, with the practice schedule: a delivery exhausts its
 * retries, the alarm reaches who subscribed to the topic, the dead letters name the endpoint, the endpoint is set
 * inactive because it keeps failing, and when it is active again, a redrive delivers what was dead-lettered. A program
 * of its own, because it trusts the emulator's certificate: base URL and key are its arguments.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { CloudWatchClient, DescribeAlarmsCommand, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import {
  LambdaClient,
  paginateListFunctions,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import pRetry from "p-retry";
import { CommandError } from "../../local/machine/command-error.ts";
import { STACK } from "../../local/service/project.ts";
import { runPlatform } from "./script.ts";

const ALARM_PREFIX = `${STACK}-ObservabilityDeadLetters`;
const ATTEMPTS = 11;
/** How long an endpoint fails before it is set inactive in the practice schedule, in ms. */
const SET_INACTIVE_AFTER_MS = 90_000;

const [baseUrl = "", apiKey = ""] = process.argv.slice(2);
const cloudWatch = new CloudWatchClient();
const lambda = new LambdaClient();
const sqs = new SQSClient();

const receiver = await aFailingReceiver();
try {
  await rehearseAlarm();
} catch (error) {
  process.stderr.write(`${error instanceof CommandError ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  receiver.close();
}

async function rehearseAlarm(): Promise<void> {
  await usePracticeSchedule();
  const alarm = await deadLetterAlarm();
  const mailbox = await subscribedMailbox(alarm.topicArn);

  const endpointId = await call("POST", "/v1/webhook-endpoints", {
    url: receiver.url,
    eventTypes: ["candidate.received"],
  });
  await createCandidate("rehearsed-first");
  const body = await receiver.next();
  const failingSince = Date.now();
  await eventually("a delivery is dead-lettered after its last attempt", async () =>
    (await platform("dead-letters", "list")).includes(endpointId),
  );
  if (receiver.attempts.size !== ATTEMPTS) {
    throw new CommandError(`The receiver got the attempts ${[...receiver.attempts].join(", ")}.`);
  }

  await setState(alarm.name, "ALARM");
  const notification = await mailbox();
  if (!notification.includes("docs/operations.md#deadletters")) {
    throw new CommandError(
      `The alarm does not name its section of the runbook. The notification was: ${notification}`,
    );
  }

  await delay(Math.max(0, failingSince + SET_INACTIVE_AFTER_MS - Date.now()));
  await createCandidate("rehearsed-second");
  await eventually("an endpoint that keeps failing is set inactive", () => isInactive(endpointId));

  receiver.fix();
  await call("PATCH", `/v1/webhook-endpoints/${endpointId}`, { active: true });
  await platform("dead-letters", "redrive");
  await receiver.next(body);
  await eventually(
    "a dead letter that was redriven is gone",
    async () => !(await platform("dead-letters", "list")).includes(endpointId),
  );
  await setState(alarm.name, "OK");
  await mailbox();
}

async function deadLetterAlarm() {
  const { MetricAlarms: [alarm] = [] } = await cloudWatch.send(
    new DescribeAlarmsCommand({ AlarmNamePrefix: ALARM_PREFIX }),
  );
  const [topicArn] = alarm?.AlarmActions ?? [];
  if (!alarm?.AlarmName || !topicArn) throw new CommandError("The stack has no alarm of dead letters.");
  return { name: alarm.AlarmName, topicArn };
}

async function setState(AlarmName: string, StateValue: "ALARM" | "OK"): Promise<void> {
  await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason: "A rehearsal." }));
}

/** Where an operator's address would be: gives the next notification of the topic. */
async function subscribedMailbox(TopicArn: string): Promise<() => Promise<string>> {
  const QueueName = "rehearsal-mailbox";
  const queueArn = TopicArn.replace(":sns:", ":sqs:").replace(/[^:]+$/, QueueName);
  const mayBeTold = {
    Effect: "Allow",
    Principal: { Service: "sns.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: queueArn,
    Condition: { ArnEquals: { "aws:SourceArn": TopicArn } },
  };
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [mayBeTold] });
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: { Policy } }));
  await new SNSClient().send(new SubscribeCommand({ TopicArn, Protocol: "sqs", Endpoint: queueArn }));
  return async () => {
    const { Messages: [message] = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20, VisibilityTimeout: 600 }),
    );
    if (!message?.Body) throw new CommandError("The alarm changed its state, but nobody was notified.");
    return message.Body;
  };
}

/** Minutes stand for days in the retries of the deployed functions. */
async function usePracticeSchedule(): Promise<void> {
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    for (const { FunctionName, Environment } of Functions) {
      const Variables = Environment?.Variables ?? {};
      if (!("RETRY_SCHEDULE" in Variables)) continue;
      Variables["RETRY_SCHEDULE"] = "practice";
      await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    }
  }
}

function createCandidate(externalId: string): Promise<string> {
  return call("POST", "/v1/candidates", {
    externalId: `${externalId}-${Date.now()}`,
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@example.com",
    countryOfResidence: "GB",
    consentGiven: true,
  });
}

async function isInactive(endpointId: string): Promise<boolean> {
  const { active } = await bodyOf("GET", `/v1/webhook-endpoints/${endpointId}`);
  return active === false;
}

/** Calls the deployed API; gives the id of what was made or changed. */
async function call(method: "POST" | "PATCH", path: string, body: object): Promise<string> {
  return String((await bodyOf(method, path, body)).id);
}

async function bodyOf(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly id?: string; readonly active?: boolean }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new CommandError(`${method} ${path} responded with ${response.status}.`);
  return (await response.json()) as { readonly id?: string; readonly active?: boolean };
}

function platform(...command: string[]): Promise<string> {
  return runPlatform(command, process.env);
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  await pRetry(
    async () => {
      if (!(await holds())) throw new CommandError(`This did not happen in time: ${what}.`);
    },
    { retries: 240, minTimeout: 500, factor: 1 },
  );
}

/** A receiver that responds 500 until it is fixed. */
async function aFailingReceiver() {
  let status = 500;
  const bodies: string[] = [];
  const attempts = new Set<string>();
  const server = createServer(async (request, response) => {
    attempts.add(String(request.headers["x-rr-delivery-attempt"]));
    bodies.push(Buffer.concat(await Array.fromAsync(request)).toString("utf8"));
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    /** The numbers of the attempts so far. */
    attempts,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    fix() {
      status = 204;
      bodies.length = 0;
    },
    /** The next body that arrives, or has since it was fixed; the very one that is asked for. */
    async next(wanted?: string): Promise<string> {
      let found: string | undefined;
      await eventually("a delivery arrives at the receiver", async () => {
        found = bodies.find((body) => wanted === undefined || body === wanted);
        return found !== undefined;
      });
      return String(found);
    },
    close: () => void server.close(),
  };
}
