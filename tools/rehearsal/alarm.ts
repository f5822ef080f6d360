/**
 * An alarm and its fix, as docs/operations.md describes them: a delivery is given up, the
 * alarm reaches who subscribed to the topic, the dead letters name the endpoint, and a redrive brings home what
 * was given up. A program of its own, because it trusts the emulator's certificate: base URL, organisation and
 * key are its arguments.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CloudWatchClient, DescribeAlarmsCommand, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import { SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import {
  CreateQueueCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import pRetry from "p-retry";
import type { Delivery } from "#webhooks/delivery/delivery";
import { CommandError } from "../command-error.ts";
import { runPlatform } from "./script.ts";

const ALARM_PREFIX = "CandidateService-development-ObservabilityDeadLetters";
/** The eleventh attempt is the last. */
const LAST_ATTEMPT = 11;

const [baseUrl = "", orgId = "", apiKey = ""] = process.argv.slice(2);
const cloudWatch = new CloudWatchClient();
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
  const alarm = await deadLetterAlarm();
  const mailbox = await subscribedMailbox(alarm.topicArn);

  const endpointId = await call("/v1/webhook-endpoints", {
    url: receiver.url,
    eventTypes: ["candidate.received"],
  });
  await call("/v1/candidates", {
    externalId: `rehearsal-${Date.now()}`,
    firstName: "Ada",
    lastName: "Lovelace",
    email: "ada@example.com",
    countryOfResidence: "GB",
    consentGiven: true,
  });
  const body = await receiver.next();
  await sendLastAttempt(endpointId, body);
  await eventually("a delivery is dead-lettered after its last attempt", async () =>
    (await platform("dead-letters", "list")).includes(endpointId),
  );

  await setState(alarm.name, "ALARM");
  const notification = await mailbox();
  if (!notification.includes("docs/operations.md#deadletters")) {
    throw new CommandError(`The alarm does not name its section of the runbook. It said: ${notification}`);
  }

  receiver.fix();
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
    if (!message?.Body) throw new CommandError("The alarm changed its state and notified nobody.");
    return message.Body;
  };
}

/** The delivery as it would be 76 hours later: before its last attempt. */
async function sendLastAttempt(endpointId: string, body: string): Promise<void> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const event = JSON.parse(body);
  const delivery: Delivery = {
    orgId,
    endpointId,
    eventId: event.id,
    eventType: event.type,
    body,
    attempt: LAST_ATTEMPT,
    dueAt: new Date().toISOString(),
  };
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: QueueUrls.find((url) => url.includes("DeliveryQueue")),
      MessageBody: JSON.stringify(delivery),
    }),
  );
}

/** Calls the deployed API; gives the id of what was made. */
async function call(path: string, body: object): Promise<string> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { readonly id?: string };
  if (response.status !== 201) throw new CommandError(`POST ${path} answered ${response.status}.`);
  return String(answer.id);
}

function platform(...command: string[]): Promise<string> {
  return runPlatform(command, process.env);
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  await pRetry(
    async () => {
      if (!(await holds())) throw new CommandError(`This was waited for in vain: ${what}.`);
    },
    { retries: 30, minTimeout: 500, factor: 1 },
  );
}

/** A receiver that answers 500 until it is fixed. */
async function aFailingReceiver() {
  let status = 500;
  const bodies: string[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await Array.fromAsync(request)).toString("utf8"));
    response.writeHead(status).end();
    arrived.resolve();
    arrived = Promise.withResolvers();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    fix() {
      status = 204;
      bodies.length = 0;
    },
    /** The next body that arrives, or has since it was fixed; the very one that is asked for. */
    async next(wanted?: string): Promise<string> {
      for (;;) {
        const body = bodies.find((candidate) => wanted === undefined || candidate === wanted);
        if (body !== undefined) return body;
        await arrived.promise;
      }
    },
    close: () => void server.close(),
  };
}
