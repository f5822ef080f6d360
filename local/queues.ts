import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { type BuildAppOptions, buildApp } from "fauxqs";
import * as z from "zod";
import { refusalOf } from "./loopback-guard.ts";
import { keepTraceHeaders } from "./message-traces.ts";
import { REGION, type Template } from "./template.ts";

const RedrivePolicy = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() });

const QueueProperties = z.object({
  QueueName: z.string().optional(),
  FifoQueue: z.boolean().optional(),
  ContentBasedDeduplication: z.boolean().optional(),
  DelaySeconds: z.coerce.number().optional(),
  MaximumMessageSize: z.coerce.number().optional(),
  MessageRetentionPeriod: z.coerce.number().optional(),
  ReceiveMessageWaitTimeSeconds: z.coerce.number().optional(),
  VisibilityTimeout: z.coerce.number().optional(),
  RedrivePolicy: RedrivePolicy.optional(),
});

/** An SQS queue as the assembly defines it. */
export interface QueueDefinition {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export function readQueues(template: Template): QueueDefinition[] {
  return template.resourcesOf("AWS::SQS::Queue", QueueProperties).map(({ logicalId, ref, properties }) => {
    const { QueueName: _, RedrivePolicy: redrive, ...attributes } = properties;
    return {
      name: template.attribute(logicalId, "QueueName"),
      url: ref,
      arn: template.attribute(logicalId, "Arn"),
      attributes: {
        ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)])),
        ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
      },
    };
  });
}

/** An SQS that answers at `endpoint`. */
export interface QueueEngine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

// What SQS refuses in a message (Amazon SQS API, SendMessage, "MessageBody").
const REFUSED_CHARACTER = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

type Stores = NonNullable<BuildAppOptions["stores"]>;
type Constructor<Part> = new (...args: string[]) => Part;
interface Persistence {
  loadSqsAndSns(sqs: Stores["sqsStore"], sns: Stores["snsStore"]): void;
  close(): void;
  updateMessageReady(messageId: string): void;
  readonly db: DatabaseSync;
}

/**
 * Starts fauxqs on a free port of the loopback interface, with its messages in `dataDirectory`.
 *
 * fauxqs's own `startFauxqs` listens on every interface, so its parts are put together here, as it does. It
 * exports all of them but the stores, which are loaded by their place in the package (pinned to one version).
 */
export async function startQueues(dataDirectory: string): Promise<QueueEngine> {
  const folder = dirname(findPackageJSON("fauxqs", import.meta.url) ?? "");
  const part = async <Part>(path: string, name: string): Promise<Part> =>
    (await import(pathToFileURL(join(folder, "dist", path)).href))[name];
  const SqsStore = await part<Constructor<Stores["sqsStore"]>>("sqs/sqsStore.js", "SqsStore");
  const SnsStore = await part<Constructor<Stores["snsStore"]>>("sns/snsStore.js", "SnsStore");
  const S3Store = await part<Constructor<Stores["s3Store"]>>("s3/s3Store.js", "S3Store");
  const PersistenceManager = await part<Constructor<Persistence>>("persistence.js", "PersistenceManager");
  // fauxqs 2.4.1 refuses characters beyond U+FFFF, which SQS takes.
  const refused = await part<RegExp>("sqs/sqsTypes.js", "INVALID_MESSAGE_BODY_CHAR");
  refused.test = (body) => REFUSED_CHARACTER.test(body);

  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = new PersistenceManager(dataDirectory);
  // A killed process loses nothing of what the operating system has taken. Waiting for the disk at each message
  // would guard against a power failure alone, and holds up everything else in this process.
  persistence.db.exec("PRAGMA synchronous = NORMAL");
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  // fauxqs 2.4.1 clears the receive count too, which its own table refuses.
  const makeReady = persistence.db.prepare(
    "UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?",
  );
  persistence.updateMessageReady = (messageId) => void makeReady.run(messageId);
  Object.assign(stores.sqsStore, { persistence });
  for (const queue of stores.sqsStore.allQueues()) {
    Object.assign(queue, { persistence });
    // Whoever was handling these ended with the stack before: nobody is to wait for them.
    for (const receiptHandle of [...queue.inflightMessages.keys()]) queue.changeVisibility(receiptHandle, 0);
  }

  const app = buildApp({ logger: false, defaultRegion: REGION, stores });
  keepTraceHeaders(app);
  // fauxqs checks no signature, takes SNS calls as forms and shows the messages of a queue to a GET.
  app.addHook("onRequest", async ({ raw }, reply) => {
    const message = refusalOf(raw);
    return message && reply.code(403).send({ __type: "AccessDeniedException", message });
  });
  app.addHook("preClose", (done) => {
    persistence.close();
    done();
  });
  const endpoint = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    endpoint,
    async stop() {
      await app.close();
    },
  };
}

/** Makes the queues be as defined; a queue that others name as their dead-letter queue comes first. */
export async function deployQueues(client: SQSClient, queues: readonly QueueDefinition[]): Promise<void> {
  const withRedrive = (queue: QueueDefinition) => Number("RedrivePolicy" in queue.attributes);
  for (const queue of [...queues].sort((left, right) => withRedrive(left) - withRedrive(right))) {
    const { FifoQueue: _, ...changeable } = queue.attributes;
    if (!(await exists(client, queue.name))) {
      await client.send(new CreateQueueCommand({ QueueName: queue.name, Attributes: queue.attributes }));
    } else if (Object.keys(changeable).length > 0) {
      await client.send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: changeable }));
    }
  }
}

async function exists(client: SQSClient, QueueName: string): Promise<boolean> {
  try {
    await client.send(new GetQueueUrlCommand({ QueueName }));
    return true;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return false;
    throw error;
  }
}
