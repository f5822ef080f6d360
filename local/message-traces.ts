import type { buildApp } from "fauxqs";

/** How many messages' trace headers are remembered; those of the oldest are forgotten first. */
const REMEMBERED = 100_000;

interface SentMessage {
  readonly MessageId?: string;
}

/** What SQS answers to the requests that matter here. */
interface QueueAnswer extends SentMessage {
  readonly Successful?: readonly SentMessage[];
  readonly Messages?: { readonly MessageId?: string; Attributes?: Record<string, string> }[];
}

/**
 * Gives received messages the trace header that they were sent with, as the system attribute `AWSTraceHeader`
 * (Amazon SQS developer guide, "Message system attributes"). fauxqs 2.4.1 forgets it. A restart does too.
 */
export function keepTraceHeaders(app: ReturnType<typeof buildApp>): void {
  const headers = new Map<string, string>();
  app.addHook("preSerialization", (request, _reply, payload, done) => {
    const { MessageId, Successful = [], Messages = [] } = payload as QueueAnswer;
    const header = request.headers["x-amzn-trace-id"];
    for (const sent of [{ MessageId }, ...Successful]) {
      if (sent.MessageId !== undefined && typeof header === "string") headers.set(sent.MessageId, header);
    }
    for (const message of Messages) {
      const kept = headers.get(message.MessageId ?? "");
      if (message.Attributes && kept !== undefined) message.Attributes["AWSTraceHeader"] = kept;
    }
    for (const oldest of headers.keys()) {
      if (headers.size <= REMEMBERED) break;
      headers.delete(oldest);
    }
    done(null, payload);
  });
}
