import { ValidationException } from "./errors.ts";
import { RESERVED_WORDS } from "./reserved-words.ts";

/**
 * The bytes of an expression, its operators, and the operands of IN (Amazon DynamoDB quotas, "Expression parameters").
 */
const EXPRESSION_BYTES = 4096;
const OPERATORS = 300;
/** The greatest list index that an expression may name, of 32 bits. */
const GREATEST_INDEX = 2 ** 31 - 1;

const TOKEN = /\s*(?:([#:]\w+|[A-Za-z]\w*|\d+|<>|<=|>=|[=<>(),.[\]+-])|(\S|$))/y;
const WORD = /^[A-Za-z]/;

/** The parameter of a request that an expression is of, as messages name it. */
export type ExpressionKind =
  | "ConditionExpression"
  | "FilterExpression"
  | "KeyConditionExpression"
  | "ProjectionExpression"
  | "UpdateExpression";

/** A path as the expression has it: names may be placeholders, numbers are indexes of lists. */
export type Path = readonly (string | number)[];

/** An expression that is parsed, and the placeholders that it names. */
export interface Parsed<Root> {
  readonly kind: ExpressionKind;
  readonly root: Root;
  readonly placeholders: ReadonlySet<string>;
}

/** Reads the tokens of an expression one after the other. */
export class ExpressionReader {
  readonly kind: ExpressionKind;
  readonly placeholders = new Set<string>();
  readonly #tokens: string[] = [];
  #position = 0;
  #operators = 0;

  constructor(kind: ExpressionKind, text: string) {
    this.kind = kind;
    if (text.trim() === "") throw this.invalid("The expression can not be empty;");
    const bytes = Buffer.byteLength(text);
    if (bytes > EXPRESSION_BYTES) {
      throw this.invalid(`Expression size has exceeded the maximum allowed size; expression size: ${bytes}`);
    }
    TOKEN.lastIndex = 0;
    for (;;) {
      const [, token, stray] = TOKEN.exec(text) ?? [];
      if (stray) throw this.invalid(`Syntax error; token: "${stray}"`);
      if (token === undefined) break;
      this.#tokens.push(token);
    }
  }

  invalid(rule: string): ValidationException {
    return new ValidationException(`Invalid ${this.kind}: ${rule}`);
  }

  syntaxError(): ValidationException {
    return this.invalid(`Syntax error; token: "${this.peek() ?? "<EOF>"}"`);
  }

  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#position + ahead];
  }

  next(): string {
    const token = this.peek();
    if (token === undefined) throw this.syntaxError();
    this.#position += 1;
    return token;
  }

  /** Whether the next token is this one, which is read if so; keywords in any case. */
  accept(token: string): boolean {
    if (this.peek()?.toUpperCase() !== token) return false;
    this.#position += 1;
    return true;
  }

  expect(token: string): void {
    if (!this.accept(token)) throw this.syntaxError();
  }

  end(): void {
    if (this.peek() !== undefined) throw this.syntaxError();
  }

  countOperator(): void {
    this.#operators += 1;
    if (this.#operators > OPERATORS) {
      throw this.invalid(`The expression contains too many operators; operator count: ${this.#operators}`);
    }
  }

  /** How many tokens after the opening parenthesis that comes next its closing one stands. */
  closingParenthesis(from = 0): number {
    let depth = 0;
    for (let ahead = from; this.peek(ahead) !== undefined; ahead++) {
      if (this.peek(ahead) === "(") depth += 1;
      if (this.peek(ahead) === ")") depth -= 1;
      if (depth === 0) return ahead;
    }
    throw this.invalid('Syntax error; token: "<EOF>"');
  }

  isFunction(): boolean {
    return WORD.test(this.peek() ?? "") && this.peek(1) === "(";
  }

  value(): string {
    const token = this.next();
    if (!token.startsWith(":")) {
      this.#position -= 1;
      throw this.syntaxError();
    }
    this.placeholders.add(token);
    return token;
  }

  path(): Path {
    const path: (string | number)[] = [this.#name()];
    for (;;) {
      if (this.accept(".")) path.push(this.#name());
      else if (this.accept("[")) path.push(this.#index());
      else return path;
    }
  }

  #name(): string {
    const name = this.next();
    if (name.startsWith("#")) {
      this.placeholders.add(name);
    } else if (!WORD.test(name)) {
      this.#position -= 1;
      throw this.syntaxError();
    } else if (RESERVED_WORDS.has(name.toUpperCase())) {
      throw this.invalid(`Attribute name is a reserved keyword; reserved keyword: ${name}`);
    }
    return name;
  }

  #index(): number {
    const index = this.next();
    this.expect("]");
    if (!/^\d+$/.test(index)) throw this.invalid(`Syntax error; token: "${index}"`);
    if (Number(index) > GREATEST_INDEX) {
      throw this.invalid(`List index is not within the allowable range; index: [${index}]`);
    }
    return Number(index);
  }
}

/** How many expressions of one kind are kept: more than a service has, fewer than a fuzzer makes. */
const KEPT = 10_000;

/** A parser that parses each distinct expression once. What it parses is never changed. */
export function parserOf<Root>(
  kind: ExpressionKind,
  parse: (reader: ExpressionReader) => Root,
): (text: string) => Parsed<Root> {
  const kept = new Map<string, Parsed<Root>>();
  return (text) => {
    const known = kept.get(text);
    if (known) return known;
    const reader = new ExpressionReader(kind, text);
    const root = parse(reader);
    reader.end();
    const parsed = { kind, root, placeholders: reader.placeholders };
    if (kept.size >= KEPT) kept.clear();
    kept.set(text, parsed);
    return parsed;
  };
}
