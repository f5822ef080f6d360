import { canonicalNumber, compareNumbers, significantDigits } from "./decimal.ts";
import { NotSimulated, ValidationException } from "./errors.ts";

/** A value as the table keeps it: numbers canonical, never changed once it is stored. */
export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: Uint8Array }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: Value[] }
  | { readonly M: Item }
  | { readonly SS: string[] }
  | { readonly NS: string[] }
  | { readonly BS: Uint8Array[] };

export interface Item {
  [attribute: string]: Value;
}

/** The types of values, by the names that `attribute_type` knows. */
export const TYPES = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"] as const;
export type Type = (typeof TYPES)[number];

/** Nested levels of an item, itself the first (Amazon DynamoDB quotas: 32). */
const NESTED_LEVELS = 32;

/** The attribute, if the item has one of this name: an item may have an attribute named "constructor". */
export function attributeOf(item: Item, name: string): Value | undefined {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

export function typeOf(value: Value): Type {
  for (const type in value) return type as Type;
  throw new Error("The stored value has no type.");
}

/**
 * An item of a request as the table is to keep it: a copy that shares nothing with the request.
 *
 * @throws ValidationException when DynamoDB does not take it
 */
export function storedItem(item: object, level = 1): Item {
  if (level > NESTED_LEVELS) {
    throw new ValidationException("Nesting Levels have exceeded supported limits");
  }
  const stored: Item = {};
  for (const name in item) {
    if (name === "") throw invalid("Empty attribute name");
    if (name === "__proto__") throw new NotSimulated("An attribute named __proto__ is not simulated.");
    stored[name] = storedValue(item[name as keyof typeof item], level);
  }
  return stored;
}

/** @throws ValidationException when DynamoDB does not take it */
export function storedValue(value: unknown, level = 1): Value {
  const members = value as Readonly<Record<string, never>>;
  let type: string | undefined;
  for (const name in members) {
    if (members[name] === undefined) continue;
    if (type !== undefined) throw notOneType();
    type = name;
  }
  if (type === undefined) throw notOneType();
  const content = members[type] as unknown;
  switch (type as Type) {
    case "S":
      return { S: content as string };
    case "N":
      return { N: canonicalNumber(content as string) };
    case "B":
      return { B: new Uint8Array(content as Uint8Array) };
    case "BOOL":
      return { BOOL: content as boolean };
    case "NULL":
      if (content !== true) throw invalid("Null attribute value types must have the value of true");
      return { NULL: true };
    case "L":
      return { L: list(content as unknown[], level) };
    case "M":
      return { M: storedItem(content as object, level + 1) };
    case "SS":
      return { SS: distinct([...(content as string[])], "string", (member) => member) };
    case "NS":
      return { NS: distinct((content as string[]).map(canonicalNumber), "number", (member) => member) };
    case "BS": {
      const copies = (content as Uint8Array[]).map((member) => new Uint8Array(member));
      return { BS: distinct(copies, "binary", hexOf) };
    }
    default:
      throw notOneType();
  }
}

function notOneType(): ValidationException {
  return new ValidationException(
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
  );
}

function list(content: unknown[], level: number): Value[] {
  if (level >= NESTED_LEVELS) {
    throw new ValidationException("Nesting Levels have exceeded supported limits");
  }
  return content.map((member) => storedValue(member, level + 1));
}

function distinct<Member>(members: Member[], kind: string, key: (member: Member) => string): Member[] {
  if (members.length === 0) throw invalid(`An ${kind} set  may not be empty`);
  if (new Set(members.map(key)).size < members.length) throw invalid("Input collection contains duplicates.");
  return members;
}

function invalid(rule: string): ValidationException {
  return new ValidationException(`One or more parameter values were invalid: ${rule}`);
}

/** A copy for a response: what its reader does to it changes nothing in the table. */
export function copyOf(item: Item): Item {
  const copy: Item = {};
  for (const name in item) copy[name] = copyOfValue(item[name] as Value);
  return copy;
}

function copyOfValue(value: Value): Value {
  if ("S" in value) return { S: value.S };
  if ("N" in value) return { N: value.N };
  if ("M" in value) return { M: copyOf(value.M) };
  if ("L" in value) return { L: value.L.map(copyOfValue) };
  if ("B" in value) return { B: value.B.slice() };
  if ("SS" in value) return { SS: [...value.SS] };
  if ("NS" in value) return { NS: [...value.NS] };
  if ("BS" in value) return { BS: value.BS.map((member) => member.slice()) };
  return { ...value };
}

/** Whether two values are of one type and equal; the order of a set's members does not count. */
export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  const type = typeOf(left);
  if (type !== typeOf(right)) return false;
  if ("M" in left && "M" in right) return isSameItem(left.M, right.M);
  if ("L" in left && "L" in right) {
    const members = right.L;
    return (
      left.L.length === members.length &&
      left.L.every((member, index) => isEqual(member, members[index] as Value))
    );
  }
  if ("B" in left && "B" in right) return compareBytes(left.B, right.B) === 0;
  if (isSet(left) && isSet(right)) {
    const members = new Set(membersOf(right).map(keyOf));
    return members.size === membersOf(left).length && membersOf(left).every((one) => members.has(keyOf(one)));
  }
  return scalarOf(left) === scalarOf(right);
}

export function isSameItem(left: Item, right: Item): boolean {
  if (left === right) return true;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => {
      const other = attributeOf(right, name);
      return other !== undefined && isEqual(left[name] as Value, other);
    })
  );
}

function scalarOf(value: Value): unknown {
  if ("S" in value) return value.S;
  if ("N" in value) return value.N;
  if ("BOOL" in value) return value.BOOL;
  return true;
}

type SetValue = Extract<Value, { SS: unknown } | { NS: unknown } | { BS: unknown }>;

export function isSet(value: Value): value is SetValue {
  return "SS" in value || "NS" in value || "BS" in value;
}

export function membersOf(value: SetValue): readonly (string | Uint8Array)[] {
  if ("SS" in value) return value.SS;
  return "NS" in value ? value.NS : value.BS;
}

/** What distinguishes a set's members. */
export function keyOf(member: string | Uint8Array): string {
  return typeof member === "string" ? member : hexOf(member);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Negative, zero or positive; undefined when the values have no order between them. */
export function compareValues(left: Value, right: Value): number | undefined {
  if ("S" in left && "S" in right) return compareText(left.S, right.S);
  if ("N" in left && "N" in right) return compareNumbers(left.N, right.N);
  if ("B" in left && "B" in right) return compareBytes(left.B, right.B);
  return undefined;
}

/** The order of the bytes in UTF-8, which is not that of JavaScript's strings beyond U+D7FF. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const difference = rankOf(left.charCodeAt(index)) - rankOf(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Surrogates come after all other code units: they stand for code points above U+FFFF. */
function rankOf(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  return Buffer.compare(left, right);
}

/**
 * The bytes of an item as its limit counts them (Amazon DynamoDB Developer Guide, "Item sizes and formats"). The
 * guide gives a number's size as about one byte for two digits and one more; a negative one has a further byte,
 * and zero is one byte, as DynamoDB Local counts them.
 */
export function sizeOf(item: Item): number {
  let size = 0;
  for (const name in item) size += Buffer.byteLength(name) + sizeOfValue(item[name] as Value);
  return size;
}

function sizeOfValue(value: Value): number {
  if ("S" in value) return Buffer.byteLength(value.S);
  if ("N" in value) return sizeOfNumber(value.N);
  if ("B" in value) return value.B.length;
  if ("M" in value) return 3 + sizeOf(value.M) + Object.keys(value.M).length;
  if ("L" in value) return value.L.reduce((size, member) => size + 1 + sizeOfValue(member), 3);
  if ("SS" in value) return value.SS.reduce((size, member) => size + Buffer.byteLength(member), 0);
  if ("NS" in value) return value.NS.reduce((size, member) => size + sizeOfNumber(member), 0);
  if ("BS" in value) return value.BS.reduce((size, member) => size + member.length, 0);
  return 1;
}

function sizeOfNumber(canonical: string): number {
  return Math.ceil(significantDigits(canonical) / 2) + 1 + Number(canonical.startsWith("-"));
}
