import { readdirSync, readFileSync } from "node:fs";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { expect, test } from "vitest";
import { type CandidateItem, ITEM_VERSION, parseCandidateKey, toCandidate } from "#candidates/candidate-item";
import { toCandidateRecord } from "#candidates/projection";
import { CandidateRecord } from "#contract/candidate-record";
import type { JsonObject } from "../contract-schemas/json.ts";

const FOLDER = new URL("stored-items/", import.meta.url);

/** An item as a version of the code wrote it, DynamoDB JSON, and the record that it read back as then. */
interface StoredItem {
  readonly item: Readonly<Record<string, AttributeValue>>;
  readonly record: JsonObject;
}

function storedItem(file: string): StoredItem {
  return JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"), (key, value) =>
    key === "B" ? Buffer.from(value, "base64") : value,
  );
}

test.each(readdirSync(FOLDER))("what the table has kept since %s still reads, and as it was", (file) => {
  const { item, record } = storedItem(file);
  const stored = unmarshall(item) as CandidateItem;

  const read = toCandidateRecord(toCandidate(parseCandidateKey(stored["pk"])?.digest ?? "", stored));

  expect(read).toMatchObject(record);
  expect(CandidateRecord.parse(read)).toEqual(read);
});

test("there is an item of every version", () => {
  expect(readdirSync(FOLDER)).toEqual(
    Array.from({ length: ITEM_VERSION }, (_, index) => `version-${index + 1}.json`),
  );
});
