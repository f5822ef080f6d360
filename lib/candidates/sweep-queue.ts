import * as z from "zod/mini";
import { OrgId } from "#organisations/organisation";

/** What waits in the queue of sweeps: a candidate, by what its key is made of. */
const Sweep = z.object({ orgId: OrgId, digest: z.string() });
export type Sweep = z.infer<typeof Sweep>;

/** The longest delay that SQS gives a message, in seconds (Amazon SQS message quotas). */
const DELAY_SECONDS = 15 * 60;

/** The queue in which candidates wait for a sweep of their parts. */
export class SweepQueue {
  readonly #queueUrl: string;

  constructor(queueUrl: string) {
    this.#queueUrl = queueUrl;
  }

  /** Has the candidate's parts swept in 15 minutes. */
  async announce(sweep: Sweep): Promise<void> {
    // Few candidates are large: the queue's client is loaded with the first that is.
    const [{ SendMessageCommand }, { sqsClient }] = await Promise.all([
      import("@aws-sdk/client-sqs"),
      import("#aws/sqs"),
    ]);
    await sqsClient.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: JSON.stringify(sweep),
        DelaySeconds: DELAY_SECONDS,
      }),
    );
  }
}

/** @throws Error when a message is not one of {@link SweepQueue}'s */
export function parseSweep(messageBody: string): Sweep {
  return Sweep.parse(JSON.parse(messageBody));
}
