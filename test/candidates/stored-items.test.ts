import { readdirSync, readFileSync } from "node:fs";
import { type AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { toCandidateRecord } from "#candidates/projection";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { parseCandidateKey } from "#candidates/store/item/candidate-key";
import { ITEM_VERSION } from "#candidates/store/item/item-version";
import { CandidateRecord } from "#contract/candidate-record";
import { runtime } from "#runtime/runtime";
import type { JsonObject } from "../contract/json.ts";

const FOLDER = new URL("stored-items/", import.meta.url);

type Item = Readonly<Record<string, AttributeValue>>;

/**
 * An item as a version of the code wrote it, DynamoDB JSON, with its parts, and the record that it read back as then.
 */
interface StoredItem {
  readonly item: Item;
  readonly parts?: readonly Item[];
  readonly record: JsonObject;
}

function storedItem(file: string): StoredItem {
  return JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"), (key, value) =>
    key === "B" ? Buffer.from(value, "base64") : value,
  );
}

test.each(readdirSync(FOLDER))(
  "the stored candidate of an earlier version %s is still read unchanged",
  async (file) => {
    const { item, parts = [], record } = storedItem(file);
    const stored = [item, ...parts].map((each) => unmarshall(each));
    const client = DynamoDBDocumentClient.from(new DynamoDBClient());
    const table = mockClient(client);
    table.on(GetCommand).callsFake(({ Key }) => ({
      Item: stored.find(({ pk, sk }) => pk === Key.pk && sk === Key.sk),
    }));
    const key = parseCandidateKey(item["pk"]?.S);
    if (!key) throw new Error("It is a candidate's.");

    const reader = new CandidateReader(client, "candidates", runtime);
    const read = toCandidateRecord(await reader.find(key.orgId, { kind: "staged", digest: key.digest }));

    expect(read).toMatchObject(record);
    expect(CandidateRecord.parse(read)).toEqual(read);
  },
);

test("each item version has an ordinary and a large stored sample", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(
    Array.from({ length: ITEM_VERSION }, (_, index) => `version-${index + 1}`).flatMap((name) => [
      `${name}-large.json`,
      `${name}.json`,
    ]),
  );
});
