import type { SqsEngine } from "./engine.ts";
import { UnsupportedOperation } from "./errors.ts";
import type { LongPolls } from "./long-polls.ts";
import {
  BatchRequest,
  ChangeMessageVisibilityRequest,
  CreateQueueRequest,
  DeleteMessageRequest,
  GetQueueAttributesRequest,
  GetQueueUrlRequest,
  ListQueuesRequest,
  parseRequest,
  ReceiveMessageRequest,
  SendMessageRequest,
  SetQueueAttributesRequest,
} from "./requests.ts";

/** A request of the AWS JSON protocol. */
export interface SqsRequest {
  readonly action: string;
  readonly input: unknown;
  /** The X-Ray trace header, which is copied to the messages of the request. */
  readonly traceHeader: string | undefined;
  /** Whether the caller has closed the connection. */
  readonly isGone: () => boolean;
}

/**
 * Performs an action.
 *
 * @throws SqsError like the service
 */
export async function performAction(
  engine: SqsEngine,
  polls: LongPolls,
  { action, input, traceHeader, isGone }: SqsRequest,
): Promise<object> {
  switch (action) {
    case "ChangeMessageVisibility":
      return engine.changeMessageVisibility(parseRequest(ChangeMessageVisibilityRequest, input));
    case "CreateQueue":
      return engine.createQueue(parseRequest(CreateQueueRequest, input));
    case "DeleteMessage":
      return engine.deleteMessage(parseRequest(DeleteMessageRequest, input));
    case "DeleteMessageBatch":
      return engine.deleteMessageBatch(parseRequest(BatchRequest, input));
    case "GetQueueAttributes":
      return engine.getQueueAttributes(parseRequest(GetQueueAttributesRequest, input));
    case "GetQueueUrl":
      return engine.getQueueUrl(parseRequest(GetQueueUrlRequest, input));
    case "ListQueues":
      return engine.listQueues(parseRequest(ListQueuesRequest, input));
    case "ReceiveMessage":
      return polls.receive(parseRequest(ReceiveMessageRequest, input), isGone);
    case "SendMessage":
      return engine.sendMessage(parseRequest(SendMessageRequest, input), traceHeader);
    case "SendMessageBatch":
      return engine.sendMessageBatch(parseRequest(BatchRequest, input), traceHeader);
    case "SetQueueAttributes":
      return engine.setQueueAttributes(parseRequest(SetQueueAttributesRequest, input));
    default:
      throw new UnsupportedOperation(action === "" ? "a request without X-Amz-Target" : action);
  }
}
