import type { TableDefinition } from "../../../local/dynamodb/tables.ts";
import { attributeOf, type Item, storedItem, type Value } from "./attribute-value.ts";
import { NotSimulated, noSuchTable, ValidationException } from "./errors.ts";
import type { Key, KeyAttributes } from "./item-store.ts";
import { keyTexts } from "./key-condition.ts";

/** Keys of 2,048 and 1,024 bytes (Amazon DynamoDB quotas). */
const PARTITION_KEY_BYTES = 2048;
const SORT_KEY_BYTES = 1024;

export interface SecondaryIndex {
  readonly keys: KeyAttributes;
  /** The attributes that the index has of an item; absent when all. */
  readonly attributes?: readonly string[];
}

/** The names, keys and indexes of a table whose keys are strings. */
export class TableSchema {
  readonly keys: KeyAttributes;
  readonly keyNames: readonly string[];
  readonly indexes: ReadonlyMap<string, SecondaryIndex>;
  readonly #name: string;
  readonly #timeToLive: string | undefined;

  constructor({ name, keys, indexes, timeToLive, attributes }: TableDefinition) {
    if (attributes.some(({ AttributeType }) => AttributeType !== "S")) {
      throw new NotSimulated("A key that is no string is not simulated.");
    }
    this.#name = name;
    this.keys = keyAttributes(keys);
    this.keyNames = [this.keys.partition, this.keys.sort];
    this.indexes = new Map(
      indexes.map(({ IndexName, KeySchema, Projection }) => {
        const own = keyAttributes(KeySchema ?? []);
        const named = [...this.keyNames, own.partition, own.sort, ...(Projection?.NonKeyAttributes ?? [])];
        const isWhole = Projection?.ProjectionType === "ALL";
        return [IndexName ?? "", { keys: own, ...(!isWhole && { attributes: [...new Set(named)] }) }];
      }),
    );
    this.#timeToLive = timeToLive;
  }

  assertName(name: string | undefined): void {
    if (name !== this.#name) throw noSuchTable();
  }

  key(key: object | undefined): Key {
    return this.keyOf(storedItem(key ?? {}));
  }

  keyOf(key: Item): Key {
    const [pk = "", sk = ""] = keyTexts(key, this.keyNames);
    if (Buffer.byteLength(pk) > PARTITION_KEY_BYTES || Buffer.byteLength(sk) > SORT_KEY_BYTES) {
      throw new ValidationException(
        `One or more parameter values were invalid: Size of the partition key has exceeded ${PARTITION_KEY_BYTES} bytes, or that of the sort key ${SORT_KEY_BYTES} bytes`,
      );
    }
    return { pk, sk };
  }

  /** A secondary index takes no item whose key attribute there is no string, or empty. */
  assertIndexKeys(item: Item): void {
    for (const [indexName, { keys }] of this.indexes) {
      for (const name of [keys.partition, keys.sort]) {
        const value = attributeOf(item, name);
        if (!value) continue;
        if (!("S" in value)) {
          throw new ValidationException(
            `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: S IndexName: ${indexName}`,
          );
        }
        if (value.S === "") {
          throw new ValidationException(
            `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${indexName}, IndexKey: ${name}`,
          );
        }
      }
    }
  }

  /** When an item expires, in seconds since 1970. */
  expiryOf(item: Item): number | undefined {
    const value = this.#timeToLive === undefined ? undefined : attributeOf(item, this.#timeToLive);
    return value && "N" in value ? Number(value.N) : undefined;
  }

  /** The attributes that say where an item is in the table or in an index. */
  placeNames({ partition, sort }: KeyAttributes): string[] {
    return [...new Set([...this.keyNames, partition, sort])];
  }
}

/** A text that no other key has. */
export function nameOf({ pk, sk }: Key): string {
  return `${pk.length}:${pk}${sk}`;
}

export function attributesOf(item: Item, names: readonly string[]): Item {
  const attributes: Item = {};
  for (const name of names) {
    const value: Value | undefined = attributeOf(item, name);
    if (value) attributes[name] = value;
  }
  return attributes;
}

function keyAttributes(schema: TableDefinition["keys"]): KeyAttributes {
  const name = (type: "HASH" | "RANGE") => {
    const attribute = schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
    if (attribute === undefined)
      throw new NotSimulated("A table or index without a sort key is not simulated.");
    return attribute;
  };
  return { partition: name("HASH"), sort: name("RANGE") };
}
