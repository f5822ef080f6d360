/** Something that the emulator does not do as AWS does. */
export interface Limit {
  readonly name: string;
  /** What was seen of it. */
  readonly seen: string;
  /** The end-to-end tests that cannot pass because of it, by their file and the beginning of their name. */
  readonly tests?: readonly string[];
}

/** What MiniStack 1.5.33 cannot do of what the stack uses; see also `template-amendments.ts`. */
export const limits: readonly Limit[] = [
  {
    name: "Lambda: the name of an error that a function throws",
    seen: "The Invoke API returns the errorType Runtime.HandlerError for every thrown error; its message is kept.",
    tests: [
      "keys.test.ts > API key administration reports an unknown key to revoke",
      "keys.test.ts > API key administration is refused by",
      "keys.test.ts > API key administration refuses an expiry time on a leap second",
    ],
  },
  {
    name: "API Gateway: a path parameter that holds an encoded slash",
    seen: "%2F is decoded before the route is looked up, so such a handle gets the response of an unknown route.",
    tests: [
      "get-candidate.test.ts > an unknown handle gets the same 404 in every case: a handle that is a path",
    ],
  },
  {
    name: "API Gateway: the host name of an API",
    seen: "*.localhost resolves on few machines: the API is called by a path that contains API and stage, not by its host name.",
  },
  {
    name: "IAM: the condition dynamodb:LeadingKeys",
    seen: "A policy for keys that begin with CANDIDATE# allows KEY#1 to be written; actions and resources are enforced.",
  },
  {
    name: "Lambda: partial failures of a stream's batch",
    seen: "publish-events returns batchItemFailures, but the event source mapping records OK and continues: the event is lost.",
  },
  {
    name: "Lambda: the processor, memory and sandbox of a function",
    seen: "Each execution environment is a Node.js process of this machine, on its processor type instead of arm64, without a memory limit.",
  },
  {
    name: "CloudWatch: the metrics of queues",
    seen: "None are recorded: the rehearsal sets the state of the alarm on dead letters itself.",
  },
  {
    name: "API Gateway: a null header of a function's response",
    seen: "Its source writes str(None): a 202 and a 204 have the header Content-Type: None, which AWS omits.",
    tests: [
      "webhook-endpoints.test.ts > a webhook endpoint that is tested or deleted gets a response without a content type",
    ],
  },
  {
    name: "API Gateway: a body without a content type",
    seen: "The binary media type */* does not match it, so the function receives the body as text.",
  },
];
