/**
 * CloudWatch's metric math, as far as the stacks use it: typed, and evaluated on series with missing points. After
 * "Using math expressions with CloudWatch metrics" (Amazon CloudWatch User Guide). CDK checks no expression, and
 * CloudFormation only learns from CloudWatch that one is refused.
 */

/** A value for each period; undefined where there is no data. */
export type Series = readonly (number | undefined)[];

type Value =
  | { readonly type: "scalar"; readonly number: number }
  | { readonly type: "series"; readonly points: Series }
  | { readonly type: "array"; readonly series: readonly Series[] };

/**
 * What arithmetic and comparisons make of a point that only one of their series has. The manual says that the
 * missing one is 0; accounts are reported where the result is missing. An expression must do under both.
 */
export type MissingPoints = "missing is zero" | "missing is contagious";

/** The metrics and expressions of an alarm or a widget, by their ids. */
export interface Queries {
  readonly metrics: Readonly<Record<string, Series>>;
  readonly expressions: Readonly<Record<string, string>>;
}

/**
 * @throws SyntaxError or TypeError where CloudWatch refuses the expression, or where it is not of the part that is
 * known here
 */
export function evaluate(
  id: string,
  { metrics, expressions }: Queries,
  missingPoints: MissingPoints,
): Series {
  const result = resolve(id, []);
  if (result.type !== "series") throw new TypeError(`${id} must result in one time series.`);
  return result.points;

  function resolve(name: string, within: readonly string[]): Value {
    const points = metrics[name];
    if (points) return { type: "series", points };
    const expression = expressions[name];
    if (expression === undefined) throw new SyntaxError(`Nothing has the id ${name}.`);
    if (within.includes(name)) throw new SyntaxError(`${name} refers to itself.`);
    return calculate(parse(expression), (other) => resolve(other, [...within, name]), missingPoints);
  }
}

type Expression =
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "id"; readonly name: string }
  | { readonly kind: "array"; readonly elements: readonly Expression[] }
  | { readonly kind: "call"; readonly name: string; readonly operands: readonly Expression[] };

/** Binary operators by how strongly they bind. */
const STRENGTHS: Readonly<Record<string, number>> = {
  "||": 1,
  OR: 1,
  "&&": 2,
  AND: 2,
  "==": 3,
  "!=": 3,
  "<": 3,
  "<=": 3,
  ">": 3,
  ">=": 3,
  "+": 4,
  "-": 4,
  "*": 5,
  "/": 5,
};

// Functions are written in upper case, and ids begin with a lower-case letter.
const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<id>[a-z]\w*)|(?<word>[A-Z]\w*)|(?<symbol>\|\||&&|[=!<>]=|[-+*/<>()[\],]))/y;

function parse(text: string): Expression {
  const tokens = tokensOf(text);
  const expression = binary(0);
  if (tokens.length > 0) throw new SyntaxError(`"${tokens[0]}" is left over in ${text}`);
  return expression;

  function binary(weakest: number): Expression {
    let left = operand();
    for (;;) {
      const [name = ""] = tokens;
      const strength = STRENGTHS[name];
      if (strength === undefined || strength <= weakest) return left;
      tokens.shift();
      left = { kind: "call", name, operands: [left, binary(strength)] };
    }
  }

  function operand(): Expression {
    const token = tokens.shift() ?? "";
    if (/^\d/.test(token)) return { kind: "number", number: Number(token) };
    if (/^[a-z]/.test(token)) return { kind: "id", name: token };
    if (token === "[") return { kind: "array", elements: listUntil("]") };
    if (/^[A-Z]/.test(token)) {
      expect("(");
      return { kind: "call", name: token, operands: listUntil(")") };
    }
    if (token === "(") {
      const inner = binary(0);
      expect(")");
      return inner;
    }
    throw new SyntaxError(`"${token}" is unexpected in ${text}`);
  }

  function listUntil(end: string): Expression[] {
    const list = [binary(0)];
    while (tokens[0] === ",") {
      tokens.shift();
      list.push(binary(0));
    }
    expect(end);
    return list;
  }

  function expect(symbol: string): void {
    const token = tokens.shift();
    if (token !== symbol) throw new SyntaxError(`"${symbol}" is expected, not "${token}", in ${text}`);
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new SyntaxError(`"${text.slice(at)}" cannot be read in ${text}`);
    tokens.push(token.trim());
  }
  return tokens;
}

function calculate(
  expression: Expression,
  resolve: (id: string) => Value,
  missingPoints: MissingPoints,
): Value {
  switch (expression.kind) {
    case "number":
      return { type: "scalar", number: expression.number };
    case "id":
      return resolve(expression.name);
    case "array": {
      const elements = expression.elements.map((element) => calculate(element, resolve, missingPoints));
      const series = elements.flatMap((element) => (element.type === "series" ? [element.points] : []));
      if (series.length < elements.length) refuse("an array", elements);
      return { type: "array", series };
    }
    case "call": {
      const operands = expression.operands.map((operand) => calculate(operand, resolve, missingPoints));
      return expression.name in STRENGTHS
        ? operate(expression.name, operands, missingPoints)
        : call(expression.name, operands);
    }
  }
}

const OPERATIONS: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "==": (left, right) => Number(left === right),
  "!=": (left, right) => Number(left !== right),
  "<": (left, right) => Number(left < right),
  "<=": (left, right) => Number(left <= right),
  ">": (left, right) => Number(left > right),
  ">=": (left, right) => Number(left >= right),
  "&&": (left, right) => Number(left !== 0 && right !== 0),
  AND: (left, right) => Number(left !== 0 && right !== 0),
  "||": (left, right) => Number(left !== 0 || right !== 0),
  OR: (left, right) => Number(left !== 0 || right !== 0),
};

/** Scalars with scalars, series with series or scalars. Arrays may be calculated with too: the stacks do not. */
function operate(name: string, operands: readonly Value[], missingPoints: MissingPoints): Value {
  const operation = OPERATIONS[name];
  const [left, right] = operands;
  if (!operation || !left || !right || left.type === "array" || right.type === "array") {
    return refuse(name, operands);
  }
  if (left.type === "scalar" && right.type === "scalar") {
    return { type: "scalar", number: operation(left.number, right.number) };
  }
  const points = timestamps(left, right).map((at) => {
    const [first, second] = [pointOf(left, at), pointOf(right, at)];
    const known = left.type === "series" && first !== undefined;
    const alsoKnown = right.type === "series" && second !== undefined;
    if (!known && !alsoKnown) return undefined;
    if (missingPoints === "missing is contagious" && (first === undefined || second === undefined))
      return undefined;
    const point = operation(first ?? 0, second ?? 0);
    // A data point that divides by zero is dropped.
    return Number.isFinite(point) ? point : undefined;
  });
  return { type: "series", points };
}

function call(name: string, operands: readonly Value[]): Value {
  switch (name) {
    case "IF":
      return choose(operands);
    case "FILL":
      return fill(operands);
    case "SUM":
      return reduce(name, operands, (values) => values.reduce((total, value) => total + value, 0));
    case "MAX":
      return reduce(name, operands, (values) => Math.max(...values));
    case "MIN":
      return reduce(name, operands, (values) => Math.min(...values));
    default:
      throw new SyntaxError(`${name} is not known here.`);
  }
}

/** "Using IF expressions": a point whose condition is missing is dropped, and a missing value where it holds is 0. */
function choose(operands: readonly Value[]): Value {
  const [condition, whenTrue, whenFalse] = operands;
  const isPlain = (value: Value | undefined) => value?.type === "series" || value?.type === "scalar";
  if (!condition || !isPlain(condition) || !whenTrue || !isPlain(whenTrue) || operands.length > 3) {
    return refuse("IF", operands);
  }
  if (whenFalse && !isPlain(whenFalse)) return refuse("IF", operands);
  // IF(S, TS, TS) is all that may follow a scalar.
  if (condition.type === "scalar" && (whenTrue.type === "scalar" || whenFalse?.type === "scalar")) {
    return refuse("IF", operands);
  }
  const points = timestamps(...operands).map((at) => {
    const holds = pointOf(condition, at);
    if (holds === undefined) return undefined;
    return holds === 0 ? whenFalse && pointOf(whenFalse, at) : (pointOf(whenTrue, at) ?? 0);
  });
  return { type: "series", points };
}

/** FILL(TS, S) and FILL(TS[], S): a series without any point is filled like another. */
function fill(operands: readonly Value[]): Value {
  const [value, filler] = operands;
  if (!value || value.type === "scalar" || filler?.type !== "scalar" || operands.length > 2) {
    return refuse("FILL", operands);
  }
  const filled = (series: Series) => series.map((point) => point ?? filler.number);
  return value.type === "array"
    ? { type: "array", series: value.series.map(filled) }
    : { type: "series", points: filled(value.points) };
}

/** Of a series, a scalar; of an array of series, the series of what its points make, as far as there are any. */
function reduce(
  name: string,
  operands: readonly Value[],
  combine: (values: readonly number[]) => number,
): Value {
  const [value] = operands;
  if (!value || value.type === "scalar" || operands.length > 1) return refuse(name, operands);
  if (value.type === "series") return { type: "scalar", number: combine(present(value.points)) };
  const points = timestamps(value).map((at) => {
    const values = present(value.series.map((series) => series[at]));
    return values.length > 0 ? combine(values) : undefined;
  });
  return { type: "series", points };
}

function present(points: Series): number[] {
  return points.filter((point) => point !== undefined);
}

function timestamps(...values: readonly Value[]): number[] {
  const lengths = values.flatMap((value) => {
    if (value.type === "scalar") return [];
    return value.type === "series" ? [value.points.length] : value.series.map((series) => series.length);
  });
  return Array.from({ length: Math.max(0, ...lengths) }, (_, at) => at);
}

function pointOf(value: Value, at: number): number | undefined {
  if (value.type === "scalar") return value.number;
  return value.type === "series" ? value.points[at] : undefined;
}

function refuse(by: string, operands: readonly Value[]): never {
  const types = operands.map(({ type }) => type).join(", ");
  throw new TypeError(`Unsupported operand type(s) for ${by}: ${types}`);
}
