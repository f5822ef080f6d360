import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  SQSClient,
  SQSServiceException,
} from "@aws-sdk/client-sqs";
import fc from "fast-check";
import { buildApp } from "fauxqs";
import { expect, onTestFinished, test, vi } from "vitest";
import { startSqs } from "../../../local/sqs/server.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

/*
 * The engine beside another one of the same service, with the same requests by the SDK at the same times. What is
 * compared is what the SQS API reference promises: not the order of messages, of which a standard queue promises
 * none. Where fauxqs 2.4.1 differs from the reference, ours is held against the reference:
 *
 * - it refuses characters beyond U+FFFF, and is sent others in their place;
 * - it drops MessageGroupId and AWSTraceHeader: ours returns those that were sent;
 * - it counts the receive that moves a message to its dead-letter queue, which returns the message to nobody;
 * - it gives the names of errors a prefix, which those of the service do not have;
 * - it forgets the handle of a message that was made visible, which SQS takes until the next receive, and changes
 *   the visibility of a message whose timeout has passed: handles are used while their message is in flight.
 */

const MOST_MESSAGES = 10;
const ASTRAL = "\u{1f600}";

type Step =
  | { kind: "send"; message: Payload }
  | { kind: "sendBatch"; messages: Payload[]; fault: "none" | "sameIds" | "badId" | "tooMany" | "empty" }
  | { kind: "receive"; visibility: number | undefined }
  | { kind: "delete"; which: number; batch: boolean }
  | { kind: "changeVisibility"; which: number; seconds: number }
  | { kind: "pass"; seconds: number };

interface Payload {
  readonly text: string;
  readonly delay: number | undefined;
  readonly group: string | undefined;
  readonly trace: string | undefined;
  readonly attribute: string | undefined;
}

const seconds = fc.constantFrom(0, 1, 2, 5);
const payload: fc.Arbitrary<Payload> = fc.record({
  text: fc.constantFrom("", "text", "ü\t\n", ASTRAL, "\u0000", "x".repeat(1030)),
  delay: fc.option(seconds, { nil: undefined }),
  group: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
  trace: fc.option(fc.constant("Root=1-00000000-000000000000000000000000"), { nil: undefined }),
  attribute: fc.option(fc.constantFrom("value", "ü"), { nil: undefined }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("send" as const), message: payload }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("sendBatch" as const),
      messages: fc.array(payload, { minLength: 1, maxLength: 3 }),
      fault: fc.constantFrom("none" as const, "none", "none", "sameIds", "badId", "tooMany", "empty"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("receive" as const),
      visibility: fc.option(seconds, { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("delete" as const), which: fc.nat(99), batch: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("changeVisibility" as const), which: fc.nat(99), seconds }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("pass" as const), seconds }) },
);

/** One of the two engines, with a queue and its dead-letter queue. */
interface Engine {
  readonly client: SQSClient;
  /** The handle of each receive, by message and count. */
  readonly handles: Map<string, string>;
  jobs: string;
  dead: string;
}

let ours: Engine;
let fauxqs: Engine;

test("Any sequence of SQS requests has the same results as in fauxqs", async () => {
  // The clock alone stands still: the sockets' timers go on.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startSqs({ dataDirectory: await temporaryFolder(), onFault: () => {} });
  onTestFinished(() => server.stop());
  const app = buildApp({ logger: false });
  onTestFinished(() => app.close());
  ours = engineAt(server.endpoint);
  fauxqs = engineAt(await app.listen({ port: 0, host: "127.0.0.1" }));

  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      run += 1;
      for (const engine of [ours, fauxqs]) await makeQueues(engine, String(run));
      const comparison = new Comparison();
      for (const each of steps) await comparison.take(each);
      await comparison.finish();
    }),
    { numRuns: 20 },
  );
});

function engineAt(endpoint: string): Engine {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SQSClient({ endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
  onTestFinished(() => client.destroy());
  return { client, handles: new Map(), jobs: "", dead: "" };
}

async function makeQueues(engine: Engine, run: string): Promise<void> {
  const make = async (QueueName: string, Attributes: Record<string, string>) =>
    (await engine.client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? "";
  engine.dead = await make(`dead-${run}`, {});
  const policy = {
    deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:dead-${run}`,
    maxReceiveCount: 3,
  };
  engine.jobs = await make(`jobs-${run}`, {
    VisibilityTimeout: "2",
    DelaySeconds: "1",
    MaximumMessageSize: "1024",
    RedrivePolicy: JSON.stringify(policy),
  });
  engine.handles.clear();
}

/** What both engines are asked, and what is known of it. */
class Comparison {
  readonly #sent = new Map<string, Payload>();
  /** The receives whose message is in flight, with the time at which it no longer is. */
  readonly #inFlight = new Map<string, number>();
  #count = 0;

  async take(each: Step): Promise<void> {
    switch (each.kind) {
      case "send":
        return this.#send([each.message], async ({ client, jobs }, [message]) => {
          await client.send(
            new SendMessageCommand({ QueueUrl: jobs, ...message, MessageBody: message?.MessageBody }),
          );
        });
      case "sendBatch":
        return this.#send(each.messages, async ({ client, jobs }, messages) => {
          const Entries = withFault(messages, each.fault);
          const { Successful = [], Failed = [] } = await client.send(
            new SendMessageBatchCommand({ QueueUrl: jobs, Entries }),
          );
          return [
            ...Successful.map(({ Id }) => [Id]),
            ...Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
          ];
        });
      case "receive":
        return this.#receive(each.visibility);
      case "delete": {
        const receive = this.#choose(each.which);
        if (receive === undefined) return;
        this.#inFlight.delete(receive);
        return same(async ({ client, jobs: QueueUrl, handles }) => {
          const ReceiptHandle = handles.get(receive);
          const Entries = [{ Id: "one", ReceiptHandle }];
          if (each.batch) await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
          else await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        });
      }
      case "changeVisibility": {
        const receive = this.#choose(each.which);
        if (receive === undefined) return;
        if (each.seconds === 0) this.#inFlight.delete(receive);
        else this.#inFlight.set(receive, Date.now() + each.seconds * 1000);
        return same(async ({ client, jobs: QueueUrl, handles }) => {
          const ReceiptHandle = handles.get(receive);
          const VisibilityTimeout = each.seconds;
          await client.send(
            new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
          );
        });
      }
      case "pass":
        vi.setSystemTime(Date.now() + each.seconds * 1000);
        return;
    }
  }

  /** Everything comes to light: what is left in the queue, and in the dead-letter queue. */
  async finish(): Promise<void> {
    vi.setSystemTime(Date.now() + 1_000_000);
    await this.#receive(undefined);
    const [here, there] = await Promise.all([receive(ours, "dead"), receive(fauxqs, "dead")]);
    const seen = (message: Message, counted: number) => ({
      ...seenOf(message),
      receives: receivesOf(message) - counted,
    });
    expect(sorted(here.map((message) => seen(message, 0)))).toEqual(
      sorted(there.map((message) => seen(message, 1))),
    );
    for (const message of here) {
      this.#check(message);
      expect(message.Attributes?.["DeadLetterQueueSourceArn"]).toMatch(/:jobs-\d+$/);
    }
  }

  async #send(
    payloads: readonly Payload[],
    act: (engine: Engine, messages: SendMessageBatchRequestEntry[]) => Promise<unknown>,
  ): Promise<void> {
    if (this.#count + payloads.length > MOST_MESSAGES) return;
    const numbered = payloads.map((each) => {
      this.#count += 1;
      this.#sent.set(String(this.#count), each);
      return [String(this.#count), each] as const;
    });
    await same((engine) =>
      act(
        engine,
        numbered.map(([number, each]) => messageOf(number, each, engine)),
      ),
    );
  }

  async #receive(visibility: number | undefined): Promise<void> {
    const [here, there] = await Promise.all([
      receive(ours, "jobs", visibility),
      receive(fauxqs, "jobs", visibility),
    ]);
    expect(sorted(here.map(seenOf))).toEqual(sorted(there.map(seenOf)));
    for (const message of here) {
      this.#check(message);
      const [number] = numberOf(message);
      for (const receive of this.#inFlight.keys()) {
        if (receive.startsWith(`${number}#`)) this.#inFlight.delete(receive);
      }
      this.#inFlight.set(receiveOf(message), Date.now() + (visibility ?? 2) * 1000);
    }
    // A message whose timeout is zero is in flight for fauxqs until the next receive.
    if (visibility !== 0) await same(countsOf);
  }

  /** What the API reference says of a message, where fauxqs cannot be asked. */
  #check(message: Message): void {
    const [number, text] = numberOf(message);
    const sent = this.#sent.get(number);
    expect(text).toBe(sent?.text);
    expect(message.Attributes?.["MessageGroupId"]).toBe(sent?.group);
    expect(message.Attributes?.["AWSTraceHeader"]).toBe(sent?.trace);
  }

  #choose(which: number): string | undefined {
    const usable = [...this.#inFlight].filter(([, until]) => until > Date.now());
    return usable[which % usable.length]?.[0];
  }
}

/** The same request at both engines, which have the same result or the same error. */
async function same(act: (engine: Engine) => Promise<unknown>): Promise<void> {
  const outcomeOf = async (engine: Engine) => {
    try {
      return { result: await act(engine) };
    } catch (error) {
      if (!(error instanceof SQSServiceException)) throw error;
      return { error: error.name.replace(/^AWS\.SimpleQueueService\./, "") };
    }
  };
  const [here, there] = await Promise.all([outcomeOf(ours), outcomeOf(fauxqs)]);
  expect(here).toEqual(there);
}

function messageOf(number: string, sent: Payload, engine: Engine): SendMessageBatchRequestEntry {
  const { text, delay, group, trace, attribute } = sent;
  const body = engine === fauxqs ? text.replaceAll(ASTRAL, "?") : text;
  return {
    Id: number,
    MessageBody: `${number}:${body}`,
    ...(delay !== undefined && { DelaySeconds: delay }),
    ...(group !== undefined && { MessageGroupId: group }),
    ...(trace !== undefined && {
      MessageSystemAttributes: { AWSTraceHeader: { DataType: "String", StringValue: trace } },
    }),
    ...(attribute !== undefined && {
      MessageAttributes: { attribute: { DataType: "String", StringValue: attribute } },
    }),
  };
}

function withFault(
  messages: SendMessageBatchRequestEntry[],
  fault: (Step & { kind: "sendBatch" })["fault"],
): SendMessageBatchRequestEntry[] {
  const copies = (count: number, idOf: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => ({ Id: idOf(index), MessageBody: "never taken" }));
  if (fault === "none") return messages;
  if (fault === "empty") return [];
  if (fault === "sameIds") return copies(2, () => "same");
  return fault === "badId" ? copies(1, () => "!") : copies(11, String);
}

async function receive(engine: Engine, queue: "jobs" | "dead", visibility?: number): Promise<Message[]> {
  const { Messages = [] } = await engine.client.send(
    new ReceiveMessageCommand({
      QueueUrl: engine[queue],
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
      ...(visibility !== undefined && { VisibilityTimeout: visibility }),
    }),
  );
  for (const message of Messages) engine.handles.set(receiveOf(message), message.ReceiptHandle ?? "");
  return Messages;
}

async function countsOf({ client, jobs }: Engine) {
  const names = ["", "NotVisible", "Delayed"] as const;
  const AttributeNames = names.map((name) => `ApproximateNumberOfMessages${name}` as const);
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl: jobs, AttributeNames }));
  return Attributes;
}

/** What both engines say of a message. */
function seenOf(message: Message) {
  return {
    number: numberOf(message)[0],
    receives: receivesOf(message),
    sentAt: message.Attributes?.["SentTimestamp"],
    firstReceivedAt: message.Attributes?.["ApproximateFirstReceiveTimestamp"],
    attributes: message.MessageAttributes,
    digest: message.MD5OfMessageAttributes,
  };
}

function sorted<Seen extends { number: string }>(messages: Seen[]): Seen[] {
  return messages.sort((left, right) => Number(left.number) - Number(right.number));
}

function receivesOf({ Attributes }: Message): number {
  return Number(Attributes?.["ApproximateReceiveCount"]);
}

function receiveOf(message: Message): string {
  return `${numberOf(message)[0]}#${receivesOf(message)}`;
}

function numberOf({ Body = "" }: Message): [number: string, text: string] {
  const colon = Body.indexOf(":");
  return [Body.slice(0, colon), Body.slice(colon + 1)];
}
