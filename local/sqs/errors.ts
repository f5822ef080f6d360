/** An error of the Amazon SQS API, with its own code (Amazon SQS API reference, "Common Errors" and each action's). */
export class SqsError extends Error {
  readonly code: string;
  /** The HTTP status code. */
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export class BatchEntryIdsNotDistinct extends SqsError {
  constructor() {
    super("BatchEntryIdsNotDistinct", "Two or more batch entries have the same Id.");
  }
}

export class BatchRequestTooLong extends SqsError {
  constructor(most: number, bytes: number) {
    super(
      "BatchRequestTooLong",
      `The messages of a batch may have at most ${most} bytes together. These have ${bytes}.`,
    );
  }
}

export class EmptyBatchRequest extends SqsError {
  constructor() {
    super("EmptyBatchRequest", "The batch request contains no entries.");
  }
}

export class InvalidAttributeName extends SqsError {
  constructor(name: string) {
    super("InvalidAttributeName", `The local SQS does not support the attribute ${name}.`);
  }
}

export class InvalidAttributeValue extends SqsError {
  constructor(name: string, reason: string) {
    super("InvalidAttributeValue", `Invalid value for the parameter ${name}. Reason: ${reason}`);
  }
}

export class InvalidBatchEntryId extends SqsError {
  constructor() {
    super(
      "InvalidBatchEntryId",
      "The Id of a batch entry must have 1 to 80 letters, digits, hyphens and underscores.",
    );
  }
}

export class InvalidMessageContents extends SqsError {
  constructor() {
    super(
      "InvalidMessageContents",
      "The message contains a character that SQS refuses. Allowed are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.",
    );
  }
}

export class InvalidParameterValue extends SqsError {
  constructor(name: string, reason: string) {
    super("InvalidParameterValue", `Value for parameter ${name} is invalid. Reason: ${reason}`);
  }
}

export class MessageNotInflight extends SqsError {
  constructor() {
    super("MessageNotInflight", "The message of this receipt handle is not in flight.");
  }
}

export class MissingParameter extends SqsError {
  constructor(name: string) {
    super("MissingParameter", `The request must contain the parameter ${name}.`);
  }
}

export class OverLimit extends SqsError {
  constructor(most: number) {
    super(
      "OverLimit",
      `The queue has ${most} messages in flight, the most that SQS allows. Delete processed messages.`,
      403,
    );
  }
}

export class QueueDoesNotExist extends SqsError {
  constructor() {
    super("QueueDoesNotExist", "The specified queue does not exist.");
  }
}

export class QueueNameExists extends SqsError {
  constructor(attribute: string) {
    super("QueueNameExists", `A queue of this name exists with another value of ${attribute}.`);
  }
}

export class ReceiptHandleIsInvalid extends SqsError {
  constructor() {
    super("ReceiptHandleIsInvalid", "The receipt handle was not returned by a receive.", 404);
  }
}

export class TooManyEntriesInBatchRequest extends SqsError {
  constructor(most: number) {
    super(
      "TooManyEntriesInBatchRequest",
      `The batch request contains more than ${most} entries. Send fewer.`,
    );
  }
}

export class UnsupportedOperation extends SqsError {
  constructor(what: string) {
    super("UnsupportedOperation", `The local SQS does not support ${what}.`);
  }
}
