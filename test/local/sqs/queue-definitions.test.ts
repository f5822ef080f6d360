import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, onTestFinished, test } from "vitest";
import { deadLettersFirst, deployQueues, readQueues } from "../../../local/sqs/queue-definitions.ts";
import { startSqs } from "../../../local/sqs/server.ts";
import { Template } from "../../../local/template.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

const options = { stackName: "Fixture", queuesEndpoint: "http://127.0.0.1:1" };
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

test("An attribute that is removed from the template gets its default at the next deployment", async () => {
  const server = await startSqs({
    dataDirectory: await temporaryFolder(),
    onFault: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(() => server.stop());
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SQSClient({ endpoint: server.endpoint, region: "us-east-1", credentials });
  onTestFinished(() => client.destroy());
  const at = { stackName: "Fixture", queuesEndpoint: server.endpoint };
  const deployed = async (Jobs: object) => {
    const Type = "AWS::SQS::Queue";
    const queues = readQueues(
      new Template({ Resources: { Jobs: { Type, Properties: Jobs }, Dead: { Type } } }, at),
    );
    await deployQueues(client, queues);
    const QueueUrl = queues.find(({ name }) => name === "Fixture-Jobs")?.url;
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
    );
    return Attributes;
  };
  const RedrivePolicy = { deadLetterTargetArn: { "Fn::GetAtt": ["Dead", "Arn"] }, maxReceiveCount: 5 };

  expect(await deployed({ VisibilityTimeout: 420, RedrivePolicy })).toMatchObject({
    VisibilityTimeout: "420",
    RedrivePolicy: expect.stringContaining("Fixture-Dead"),
  });

  const after = await deployed({ DelaySeconds: 1 });
  expect(after).toMatchObject({ VisibilityTimeout: "30", DelaySeconds: "1" });
  expect(after).not.toHaveProperty("RedrivePolicy");
});
