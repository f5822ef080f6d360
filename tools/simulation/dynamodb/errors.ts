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

/** The metadata of one response: a client writes into it how often it sent the request. */
function refusal(): { readonly httpStatusCode: number } {
  return { httpStatusCode: 400 };
}

/** What DynamoDB refuses, whatever the table contains. The SDK has no class of its own for it. */
export class ValidationException extends DynamoDBServiceException {
  constructor(message: string) {
    super({ name: "ValidationException", $fault: "client", message, $metadata: refusal() });
  }
}

export function conditionalCheckFailed(
  item: Record<string, AttributeValue> | undefined,
): ConditionalCheckFailedException {
  return new ConditionalCheckFailedException({
    message: "The conditional request failed",
    $metadata: refusal(),
    ...(item && { Item: item }),
  });
}

export function transactionCanceled(reasons: CancellationReason[]): TransactionCanceledException {
  return new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons
      .map(({ Code }) => Code)
      .join(", ")}]`,
    $metadata: refusal(),
    CancellationReasons: reasons,
  });
}

export function idempotentParameterMismatch(): IdempotentParameterMismatchException {
  return new IdempotentParameterMismatchException({
    message: "The request uses the same client token as a previous, but non-identical request.",
    $metadata: refusal(),
  });
}

export function noSuchTable(): ResourceNotFoundException {
  return new ResourceNotFoundException({ message: "Requested resource not found", $metadata: refusal() });
}
