import { attributeOf, type Item, storedValue, type Value } from "./attribute-value.ts";
import { ValidationException } from "./errors.ts";
import type { ExpressionKind, Parsed, Path } from "./expression-reader.ts";

interface Substitutions {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: object | undefined;
}

const NAME = /^#\w{1,254}$/;
const VALUE = /^:\w{1,254}$/;

/** What the expressions of one request name as `#name` and `:value`. */
export class Placeholders {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Item;

  /**
   * @param expressions those of the request, which must use all placeholders and no others
   * @throws ValidationException when they do not
   */
  constructor(
    { ExpressionAttributeNames: names, ExpressionAttributeValues: values }: Substitutions,
    expressions: readonly (Parsed<unknown> | undefined)[],
  ) {
    assertGiven("ExpressionAttributeNames", names, NAME, expressions);
    assertGiven("ExpressionAttributeValues", values, VALUE, expressions);
    this.#names = names ?? {};
    this.#values = {};
    for (const [placeholder, value] of Object.entries(values ?? {})) {
      this.#values[placeholder] = storedValue(value);
    }
    for (const expression of expressions) if (expression) this.#assertDefined(expression);
  }

  #assertDefined({ kind, placeholders }: Parsed<unknown>): void {
    for (const placeholder of placeholders) {
      if (placeholder.startsWith("#")) {
        const name = Object.hasOwn(this.#names, placeholder) ? this.#names[placeholder] : undefined;
        if (name === undefined) {
          throw new ValidationException(
            `Invalid ${kind}: An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`,
          );
        }
        if (name === "") {
          throw new ValidationException(
            `ExpressionAttributeNames contains invalid value: Empty attribute name for key ${placeholder}`,
          );
        }
      } else if (!attributeOf(this.#values, placeholder)) {
        throw new ValidationException(
          `Invalid ${kind}: An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
        );
      }
    }
  }

  value(placeholder: string): Value {
    return this.#values[placeholder] as Value;
  }

  name(name: string): string {
    return name.startsWith("#") ? (this.#names[name] as string) : name;
  }

  resolve(path: Path): Path {
    return path.map((step) => (typeof step === "string" ? this.name(step) : step));
  }

  /** What the item has at the path. */
  read(item: Item, path: Path): Value | undefined {
    let found = attributeOf(item, this.name(path[0] as string));
    for (let step = 1; found && step < path.length; step++) {
      found = memberOf(found, this.#step(path[step] as string | number));
    }
    return found;
  }

  #step(step: string | number): string | number {
    return typeof step === "string" ? this.name(step) : step;
  }

  isSamePath(left: Path, right: Path): boolean {
    return (
      left.length === right.length &&
      left.every((step, index) => this.#step(step) === this.#step(right[index] as string | number))
    );
  }
}

/** The member of a map or list, if it is the one that the step is for and has it. */
export function memberOf(value: Value, step: string | number): Value | undefined {
  if (typeof step === "string") return "M" in value ? attributeOf(value.M, step) : undefined;
  return "L" in value ? value.L[step] : undefined;
}

/** @throws ValidationException when placeholders are given that no expression uses */
function assertGiven(
  parameter: "ExpressionAttributeNames" | "ExpressionAttributeValues",
  given: object | undefined,
  form: RegExp,
  expressions: readonly (Parsed<unknown> | undefined)[],
): void {
  if (given === undefined) return;
  if (expressions.every((expression) => expression === undefined)) {
    throw new ValidationException(`${parameter} can only be specified when using expressions`);
  }
  const placeholders = Object.keys(given);
  if (placeholders.length === 0) throw new ValidationException(`${parameter} must not be empty`);
  for (const placeholder of placeholders) {
    if (!form.test(placeholder)) {
      throw new ValidationException(`${parameter} contains invalid key: Syntax error; key: "${placeholder}"`);
    }
    if (!expressions.some((expression) => expression?.placeholders.has(placeholder))) {
      throw new ValidationException(
        `Value provided in ${parameter} unused in expressions: keys: {${placeholder}}`,
      );
    }
  }
}

/** @throws ValidationException when one path is the beginning of another, or takes a list for a map */
export function assertDistinctPaths(kind: ExpressionKind, paths: readonly Path[]): void {
  if (paths.every(({ length }) => length === 1)) {
    if (new Set(paths.map(([name]) => name)).size === paths.length) return;
  }
  for (const [index, left] of paths.entries()) {
    for (const right of paths.slice(index + 1)) assertDistinct(kind, left, right);
  }
}

function assertDistinct(kind: ExpressionKind, left: Path, right: Path): void {
  const shorter = Math.min(left.length, right.length);
  const parting = left.findIndex((step, index) => step !== right[index]);
  const isApart = parting !== -1 && parting < shorter;
  if (isApart && typeof left[parting] === typeof right[parting]) return;
  throw new ValidationException(
    `Invalid ${kind}: Two document paths ${isApart ? "conflict" : "overlap"} with each other; must remove or rewrite one of these paths; path one: ${pathText(left)}, path two: ${pathText(right)}`,
  );
}

export function pathText(path: Path): string {
  return `[${path.map((step) => (typeof step === "number" ? `[${step}]` : step)).join(", ")}]`;
}
