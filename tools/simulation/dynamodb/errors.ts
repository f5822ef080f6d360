import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";

/** The request is outside what the simulation covers: a fault of the simulation, not a response of DynamoDB. */
export class NotSimulated extends Error {
  override readonly name = "NotSimulated";
}

const $metadata = { httpStatusCode: 400 };

/** What DynamoDB refuses, whatever the table contains. The SDK has no class of its own for it. */
export class ValidationException extends DynamoDBServiceException {
  constructor(message: string) {
    super({ name: "ValidationException", $fault: "client", message, $metadata });
  }
}

export function conditionalCheckFailed(
  item: Record<string, AttributeValue> | undefined,
): ConditionalCheckFailedException {
  return new ConditionalCheckFailedException({
    message: "The conditional request failed",
    $metadata,
    ...(item && { Item: item }),
  });
}

export function transactionCanceled(reasons: CancellationReason[]): TransactionCanceledException {
  return new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons
      .map(({ Code }) => Code)
      .join(", ")}]`,
    $metadata,
    CancellationReasons: reasons,
  });
}

export function idempotentParameterMismatch(): IdempotentParameterMismatchException {
  return new IdempotentParameterMismatchException({
    message: "The request uses the same client token as a previous, but non-identical request.",
    $metadata,
  });
}

export function noSuchTable(): ResourceNotFoundException {
  return new ResourceNotFoundException({ message: "Requested resource not found", $metadata });
}
