import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anEngine, theMessageOf } from "./an-engine.ts";

const code = (value: string) => expect.objectContaining({ code: value });
const text = (StringValue: string, DataType = "String") => ({ DataType, StringValue });

// Amazon SQS API, SendMessage: the ends of each range of characters, and what is beside them.
test.each(["\t", "\n", "\r", " ", "\ud7ff", "\ue000", "\ufffd", "\u{10000}", "\u{10ffff}"])(
  "An SQS message may contain %j",
  async (character) => {
    const jobs = await anEngine().queue("jobs");
    await jobs.send(character);
    expect(await jobs.bodies()).toEqual([character]);
  },
);
test.each(["\u0000", "\u0008", "\u000b", "\u001f", "\ud800", "\udfff", "\ufffe", "\uffff"])(
  "An SQS message may not contain %j",
  async (character) => {
    const jobs = await anEngine().queue("jobs");
    await expect(jobs.send(`a${character}b`)).rejects.toEqual(code("InvalidMessageContents"));
  },
);

describe("the size of an SQS message", () => {
  test("is the size of its body in UTF-8 and of the names, types and values of its attributes", async () => {
    const jobs = await anEngine().queue("jobs", { MaximumMessageSize: "1024" });
    const MessageAttributes = {
      name: text("värde"),
      bytes: { DataType: "Binary", BinaryValue: Buffer.from("four").toString("base64") },
    };
    // "name" 4 + "String" 6 + "värde" 6 + "bytes" 5 + "Binary" 6 + 4 bytes, and "é" of 2 bytes.
    const largest = `é${"x".repeat(1024 - 31 - 2)}`;
    await jobs.send(largest, { MessageAttributes });
    await expect(jobs.send(`${largest}x`, { MessageAttributes })).rejects.toEqual(
      code("InvalidParameterValue"),
    );
  });

  test("does not include system attributes", async () => {
    const jobs = await anEngine().queue("jobs", { MaximumMessageSize: "1024" });
    await jobs.send("x".repeat(1024), {
      MessageSystemAttributes: { AWSTraceHeader: text("Root=1-00000000-000000000000000000000000") },
    });
  });

  test("is 1 MiB at most", async () => {
    const jobs = await anEngine().queue("jobs");
    await jobs.send("x".repeat(1_048_576));
    await expect(jobs.send("x".repeat(1_048_577))).rejects.toEqual(code("InvalidParameterValue"));
  });
});

test.each([
  ["MissingParameter", { MessageBody: "" }],
  ["InvalidParameterValue", { DelaySeconds: 901 }],
  ["InvalidParameterValue", { DelaySeconds: -1 }],
  ["InvalidParameterValue", { MessageGroupId: "" }],
  ["InvalidParameterValue", { MessageGroupId: "x".repeat(129) }],
  ["InvalidParameterValue", { MessageGroupId: "with space" }],
  ["InvalidParameterValue", { MessageAttributes: { "AWS.name": text("x") } }],
  ["InvalidParameterValue", { MessageAttributes: { "amazon.name": text("x") } }],
  ["InvalidParameterValue", { MessageAttributes: { ".name": text("x") } }],
  ["InvalidParameterValue", { MessageAttributes: { "name.": text("x") } }],
  ["InvalidParameterValue", { MessageAttributes: { "na..me": text("x") } }],
  ["InvalidParameterValue", { MessageAttributes: { "na me": text("x") } }],
  ["InvalidParameterValue", { MessageAttributes: { ["x".repeat(257)]: text("x") } }],
  ["InvalidParameterValue", { MessageAttributes: { name: text("") } }],
  ["InvalidParameterValue", { MessageAttributes: { name: text("\u0000") } }],
  ["InvalidParameterValue", { MessageAttributes: { name: text("x", "Colour") } }],
  ["InvalidParameterValue", { MessageAttributes: { name: text("x", "Number") } }],
  ["InvalidParameterValue", { MessageAttributes: { name: text("x", "Binary") } }],
  ["InvalidParameterValue", { MessageAttributes: { name: text("1", `Number.${"x".repeat(250)}`) } }],
  ["InvalidParameterValue", { MessageAttributes: { name: { ...text("x", "Binary"), BinaryValue: "eA==" } } }],
  ["InvalidParameterValue", { MessageAttributes: { name: { ...text("x"), BinaryValue: "eA==" } } }],
  ["InvalidParameterValue", { MessageAttributes: { name: { DataType: "Binary", BinaryValue: "" } } }],
  [
    "InvalidParameterValue",
    { MessageAttributes: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`name${i}`, text("x")])) },
  ],
  ["UnsupportedOperation", { MessageAttributes: { name: { ...text("x"), StringListValues: ["x"] } } }],
  ["UnsupportedOperation", { MessageDeduplicationId: "of a FIFO queue" }],
])("An SQS message is refused with %s: %j", async (expected, parameters) => {
  const jobs = await anEngine().queue("jobs");
  await expect(jobs.send("body", parameters)).rejects.toEqual(code(expected));
});

describe("attributes of an SQS message", () => {
  test("are returned if requested, by name, by prefix or all", async () => {
    const jobs = await anEngine().queue("jobs");
    const MessageAttributes = {
      "trace.id": text("1"),
      "trace.span": text("2", "Number.int"),
      other: text("3"),
    };
    await jobs.send("work", { MessageAttributes });
    const names = async (MessageAttributeNames: string[]) =>
      Object.keys(
        (await theMessageOf(jobs, { MessageAttributeNames, VisibilityTimeout: 0 })).MessageAttributes ?? {},
      );
    expect(await names([])).toEqual([]);
    expect(await names(["other"])).toEqual(["other"]);
    expect(await names(["trace.*"])).toEqual(["trace.id", "trace.span"]);
    expect(await names(["All"])).toEqual(Object.keys(MessageAttributes));
    expect(await names([".*"])).toEqual(Object.keys(MessageAttributes));
  });

  test("that the system sets are returned if requested, by name or all", async () => {
    const jobs = await anEngine().queue("jobs");
    await jobs.send("work", { MessageGroupId: "acme" });
    const asked = async (MessageSystemAttributeNames: string[]) =>
      (await theMessageOf(jobs, { MessageSystemAttributeNames, VisibilityTimeout: 0 })).Attributes;
    expect(await asked([])).toBeUndefined();
    expect(await asked(["MessageGroupId"])).toEqual({ MessageGroupId: "acme" });
    expect(Object.keys((await asked(["All"])) ?? {}).sort()).toEqual([
      "ApproximateFirstReceiveTimestamp",
      "ApproximateReceiveCount",
      "MessageGroupId",
      "SenderId",
      "SentTimestamp",
    ]);
  });

  test("contain the trace header of the request, or the one that the sender sets", async () => {
    const { queue, call } = anEngine();
    const jobs = await queue("jobs");
    const named = { MessageSystemAttributes: { AWSTraceHeader: text("Root=named") } };
    await jobs.send("one", {}, "Root=header");
    await call(
      "SendMessageBatch",
      {
        QueueUrl: jobs.url,
        Entries: [
          { Id: "two", MessageBody: "two", ...named },
          { Id: "three", MessageBody: "three" },
        ],
      },
      "Root=header",
    );
    await jobs.send("four");
    const headers = (await jobs.receive()).map(({ Attributes }) => Attributes?.["AWSTraceHeader"]);
    expect(headers).toEqual(["Root=header", "Root=named", "Root=header", undefined]);
  });

  test("have the digest that AWS's SDKs compute", async () => {
    const jobs = await anEngine().queue("jobs");
    const MessageAttributes = {
      b: { DataType: "Binary", BinaryValue: "AQID" },
      a: text("x"),
    };
    const bytes = Buffer.concat(
      [
        ["a", "String", 1, Buffer.from("x")],
        ["b", "Binary", 2, Buffer.of(1, 2, 3)],
      ].flatMap(([name, type, transport, value]) => [
        Buffer.of(0, 0, 0, 1),
        Buffer.from(String(name)),
        Buffer.of(0, 0, 0, 6),
        Buffer.from(String(type)),
        Buffer.of(Number(transport)),
        Buffer.of(0, 0, 0, (value as Buffer).length),
        value as Buffer,
      ]),
    );
    expect(await jobs.send("x", { MessageAttributes })).toMatchObject({
      MD5OfMessageAttributes: createHash("md5").update(bytes).digest("hex"),
    });
  });
});
