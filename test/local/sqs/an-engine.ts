import { performAction } from "../../../local/sqs/actions.ts";
import { SqsEngine, type SqsEngineOptions } from "../../../local/sqs/engine.ts";
import { LongPolls } from "../../../local/sqs/long-polls.ts";

export interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, object>>;
}

export interface BatchResponse {
  readonly Successful: { readonly Id: string }[];
  readonly Failed: { readonly Id: string; readonly Code: string; readonly SenderFault: boolean }[];
}

/** An engine whose time stands still until a test moves it. */
export function anEngine(options: Partial<SqsEngineOptions> = {}) {
  const clock = { ms: Date.UTC(2026, 10, 22) };
  const engine = new SqsEngine({
    now: () => clock.ms,
    random: Math.random,
    queueUrl: (name) => `http://sqs/000000000000/${name}`,
    ...options,
  });
  const polls = new LongPolls(engine);
  const call = async <Response = object>(action: string, input: object, traceHeader?: string) =>
    (await performAction(engine, polls, { action, input, traceHeader, isGone: () => false })) as Response;

  return {
    engine,
    polls,
    call,
    now: () => clock.ms,
    pass(seconds: number) {
      clock.ms += seconds * 1000;
    },
    async queue(QueueName: string, Attributes: Record<string, string> = {}) {
      const { QueueUrl } = await call<{ QueueUrl: string }>("CreateQueue", { QueueName, Attributes });
      return {
        url: QueueUrl,
        arn: `arn:aws:sqs:us-east-1:000000000000:${QueueName}`,
        send: (MessageBody: string, more: object = {}, traceHeader?: string) =>
          call<{ MessageId: string }>("SendMessage", { QueueUrl, MessageBody, ...more }, traceHeader),
        async receive(more: object = {}): Promise<readonly Received[]> {
          const { Messages = [] } = await call<{ Messages?: Received[] }>("ReceiveMessage", {
            QueueUrl,
            MaxNumberOfMessages: 10,
            MessageSystemAttributeNames: ["All"],
            ...more,
          });
          return Messages;
        },
        async bodies(more: object = {}): Promise<string[]> {
          return (await this.receive(more)).map(({ Body }) => Body);
        },
        delete: (ReceiptHandle: string) => call("DeleteMessage", { QueueUrl, ReceiptHandle }),
        changeVisibility: (ReceiptHandle: string, VisibilityTimeout: number) =>
          call("ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout }),
        async attributes(): Promise<Record<string, string>> {
          const response = await call<{ Attributes: Record<string, string> }>("GetQueueAttributes", {
            QueueUrl,
            AttributeNames: ["All"],
          });
          return response.Attributes;
        },
      };
    },
  };
}
export type AQueue = Awaited<ReturnType<ReturnType<typeof anEngine>["queue"]>>;

/** The one message that a queue has. */
export async function theMessageOf(queue: AQueue, more: object = {}): Promise<Received> {
  const [message, ...others] = await queue.receive(more);
  if (!message || others.length > 0) throw new Error("The queue does not have exactly one message.");
  return message;
}
