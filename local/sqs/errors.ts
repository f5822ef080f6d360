interface ErrorTraits {
  /** The code in SQS's older query protocol, which the SDK reads from the header `x-amzn-query-error`. */
  readonly queryCode?: string;
  /** The HTTP status code. */
  readonly status?: number;
}

/** An error of the Amazon SQS API, with its own code (Amazon SQS API reference, "Common Errors" and each action's). */
export class SqsError extends Error {
  readonly code: string;
  readonly queryCode: string;
  readonly status: number;

  constructor(code: string, message: string, { queryCode = code, status = 400 }: ErrorTraits = {}) {
    super(message);
    this.code = code;
    this.queryCode = queryCode;
    this.status = status;
  }
}

/** The query protocol names most of SQS's own errors with this prefix. */
const OWN = "AWS.SimpleQueueService.";

export class BatchEntryIdsNotDistinct extends SqsError {
  constructor() {
    const code = "BatchEntryIdsNotDistinct";
    super(code, "Two or more batch entries have the same Id.", { queryCode: `${OWN}${code}` });
  }
}

export class BatchRequestTooLong extends SqsError {
  constructor(most: number, bytes: number) {
    const code = "BatchRequestTooLong";
    super(code, `The messages of a batch hold at most ${most} bytes together. These hold ${bytes}.`, {
      queryCode: `${OWN}${code}`,
    });
  }
}

export class EmptyBatchRequest extends SqsError {
  constructor() {
    const code = "EmptyBatchRequest";
    super(code, "The batch request contains no entries.", { queryCode: `${OWN}${code}` });
  }
}

export class InvalidAttributeName extends SqsError {
  constructor(name: string) {
    super("InvalidAttributeName", `The local SQS does not know the attribute ${name}.`);
  }
}

export class InvalidAttributeValue extends SqsError {
  constructor(name: string, reason: string) {
    super("InvalidAttributeValue", `Invalid value for the parameter ${name}. Reason: ${reason}`);
  }
}

export class InvalidBatchEntryId extends SqsError {
  constructor() {
    const code = "InvalidBatchEntryId";
    super(code, "The Id of a batch entry has 1 to 80 letters, digits, hyphens and underscores.", {
      queryCode: `${OWN}${code}`,
    });
  }
}

export class InvalidMessageContents extends SqsError {
  constructor() {
    super(
      "InvalidMessageContents",
      "The message contains a character that SQS refuses. It takes #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.",
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
    const code = "MessageNotInflight";
    super(code, "The message of this receipt handle is not in flight.", { queryCode: `${OWN}${code}` });
  }
}

export class MissingParameter extends SqsError {
  constructor(name: string) {
    super("MissingParameter", `The request must contain the parameter ${name}.`);
  }
}

export class OverLimit extends SqsError {
  constructor(most: number) {
    super("OverLimit", `A queue has at most ${most} messages in flight. Delete those that are done.`, {
      status: 403,
    });
  }
}

export class QueueDoesNotExist extends SqsError {
  constructor() {
    super("QueueDoesNotExist", "The specified queue does not exist.", {
      queryCode: `${OWN}NonExistentQueue`,
    });
  }
}

export class QueueNameExists extends SqsError {
  constructor(attribute: string) {
    super("QueueNameExists", `A queue of this name exists with another value of ${attribute}.`, {
      queryCode: "QueueAlreadyExists",
    });
  }
}

export class ReceiptHandleIsInvalid extends SqsError {
  constructor() {
    super("ReceiptHandleIsInvalid", "The receipt handle is none that a receive returned.", { status: 404 });
  }
}

export class TooManyEntriesInBatchRequest extends SqsError {
  constructor(most: number) {
    const code = "TooManyEntriesInBatchRequest";
    super(code, `A batch request contains at most ${most} entries.`, { queryCode: `${OWN}${code}` });
  }
}

export class UnsupportedOperation extends SqsError {
  constructor(what: string) {
    const code = "UnsupportedOperation";
    super(code, `The local SQS does not offer ${what}.`, { queryCode: `${OWN}${code}` });
  }
}
