import { SqsEngine } from "../../../local/sqs/engine.ts";
import { deadLettersFirst, type QueueDefinition } from "../../../local/sqs/queue-definitions.ts";
import {
  BatchRequest,
  ChangeMessageVisibilityRequest,
  DeleteMessageRequest,
  parseRequest,
  ReceiveMessageRequest,
  SendMessageRequest,
} from "../../../local/sqs/requests.ts";

interface Dependencies {
  readonly now: () => number;
  readonly random: () => number;
}

/** The queues of the service in the SQS engine, driven directly. */
export class SimulatedQueues {
  readonly engine: SqsEngine;
  readonly #onChange: (() => void)[] = [];

  constructor(queues: readonly QueueDefinition[], { now, random }: Dependencies) {
    const urls = new Map(queues.map(({ name, url }) => [name, url]));
    this.engine = new SqsEngine({ now, random, queueUrl: (name) => urls.get(name) ?? name });
    for (const { name, attributes } of deadLettersFirst(queues)) {
      this.engine.createQueue({ QueueName: name, Attributes: { ...attributes } });
    }
  }

  /** Runs after each request. */
  onChange(run: () => void): void {
    this.#onChange.push(run);
  }

  /** To be called after a receive from the engine: it may have moved messages to a dead-letter queue. */
  changed(): void {
    for (const run of this.#onChange) run();
  }

  handle(action: string, input: object, traceHeader: string | undefined): object {
    const output = this.#perform(action, input, traceHeader);
    this.changed();
    return output;
  }

  /** What a queue still has, read without a trace. */
  bodiesIn(queueUrl: string): string[] {
    return this.engine.messagesIn(queueUrl).map(({ body }) => body);
  }

  #perform(action: string, input: object, traceHeader: string | undefined): object {
    switch (action) {
      case "SendMessage":
        return this.engine.sendMessage(parseRequest(SendMessageRequest, input), traceHeader);
      case "SendMessageBatch":
        return this.engine.sendMessageBatch(parseRequest(BatchRequest, input), traceHeader);
      case "ReceiveMessage":
        return this.engine.receiveMessage(parseRequest(ReceiveMessageRequest, input));
      case "DeleteMessage":
        return this.engine.deleteMessage(parseRequest(DeleteMessageRequest, input));
      case "ChangeMessageVisibility":
        return this.engine.changeMessageVisibility(parseRequest(ChangeMessageVisibilityRequest, input));
      default:
        throw new Error(`The action ${action} of SQS is not simulated.`);
    }
  }
}
