import { expect, test } from "vitest";
import { deadLettersFirst, readQueues } from "../../local/queues.ts";
import { Template } from "../../local/template.ts";

const options = { stackName: "Fixture", queuesUrl: "http://127.0.0.1:1" };
const queuesOf = (Properties: object) =>
  readQueues(new Template({ Resources: { Jobs: { Type: "AWS::SQS::Queue", Properties } } }, options));

test("A queue has the attributes given in the template", () => {
  expect(queuesOf({ FifoQueue: false, VisibilityTimeout: 420, SqsManagedSseEnabled: true })).toEqual([
    {
      name: "Fixture-Jobs",
      url: "http://127.0.0.1:1/000000000000/Fixture-Jobs",
      arn: "arn:aws:sqs:us-east-1:000000000000:Fixture-Jobs",
      attributes: { VisibilityTimeout: "420" },
    },
  ]);
});

test("A FIFO queue in the template is refused with its name", () => {
  expect(() => queuesOf({ FifoQueue: true })).toThrow(
    /^The local stack cannot run Jobs \(AWS::SQS::Queue\): .*The local stack does not support FIFO queues\. Use a standard queue\./,
  );
});

test("A dead-letter queue comes before the queues that refer to it, and after its own", () => {
  const queue = (name: string, deadLetters?: string) => ({
    name,
    url: `http://127.0.0.1:1/000000000000/${name}`,
    arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
    attributes: deadLetters
      ? {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${deadLetters}`,
            maxReceiveCount: 5,
          }),
        }
      : {},
  });

  const ordered = deadLettersFirst([queue("first", "retries"), queue("retries", "dead"), queue("dead")]);

  expect(ordered.map(({ name }) => name)).toEqual(["dead", "retries", "first"]);
});
