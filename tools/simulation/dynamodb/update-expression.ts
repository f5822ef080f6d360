import { type ExpressionReader, type Path, parserOf } from "./expression-reader.ts";

export type Operand =
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "if_not_exists"; readonly path: Path; readonly otherwise: Operand }
  | { readonly kind: "list_append"; readonly left: Operand; readonly right: Operand };

export type Assigned =
  | Operand
  | { readonly kind: "+"; readonly left: Operand; readonly right: Operand }
  | { readonly kind: "-"; readonly left: Operand; readonly right: Operand };

export type Action =
  | { readonly kind: "SET"; readonly path: Path; readonly assigned: Assigned }
  | { readonly kind: "REMOVE"; readonly path: Path }
  | { readonly kind: "ADD" | "DELETE"; readonly path: Path; readonly value: string };

export type Update = readonly Action[];

const CLAUSES = ["SET", "REMOVE", "ADD", "DELETE"] as const;

export const parseUpdate = parserOf("UpdateExpression", clauses);

function clauses(reader: ExpressionReader): Update {
  const actions: Action[] = [];
  const seen = new Set<string>();
  do {
    const clause = CLAUSES.find((one) => reader.accept(one));
    if (!clause) throw reader.syntaxError();
    if (seen.has(clause)) {
      throw reader.invalid(`The "${clause}" section can only be used once in an update expression;`);
    }
    seen.add(clause);
    do actions.push(action(clause, reader));
    while (reader.accept(","));
  } while (reader.peek() !== undefined);
  return actions;
}

function action(kind: (typeof CLAUSES)[number], reader: ExpressionReader): Action {
  const path = reader.path();
  if (kind === "REMOVE") return { kind, path };
  if (kind !== "SET") return { kind, path, value: reader.value() };
  reader.expect("=");
  return { kind, path, assigned: assigned(reader) };
}

function assigned(reader: ExpressionReader): Assigned {
  if (reader.accept("(")) {
    const inner = assigned(reader);
    reader.expect(")");
    return inner;
  }
  const left = operand(reader);
  const kind = reader.peek();
  if (kind !== "+" && kind !== "-") return left;
  reader.next();
  reader.countOperator();
  const right = operand(reader);
  if (left.kind === "list_append" || right.kind === "list_append") {
    throw reader.invalid(
      "The function is not allowed to be used this way in an expression; function: list_append",
    );
  }
  return { kind, left, right };
}

/** Functions of conditions, which an update refuses in other words than an unknown one. */
const CONDITION_FUNCTIONS = [
  "attribute_exists",
  "attribute_not_exists",
  "attribute_type",
  "begins_with",
  "contains",
  "size",
];

function operand(reader: ExpressionReader): Operand {
  if (reader.peek()?.startsWith(":")) return { kind: "value", value: reader.value() };
  if (!reader.isFunction()) return { kind: "path", path: reader.path() };
  const kind = reader.next();
  if (kind !== "if_not_exists" && kind !== "list_append") {
    throw reader.invalid(
      CONDITION_FUNCTIONS.includes(kind)
        ? `The function is not allowed in an update expression; function: ${kind}`
        : `Invalid function name; function: ${kind}`,
    );
  }
  reader.countOperator();
  const given: Operand[] = [];
  reader.expect("(");
  do given.push(operand(reader));
  while (reader.accept(","));
  reader.expect(")");
  const [left, right, ...more] = given;
  if (!left || !right || more.length > 0) {
    throw reader.invalid(
      `Incorrect number of operands for operator or function; operator or function: ${kind}, number of operands: ${given.length}`,
    );
  }
  if (kind === "list_append") return { kind, left, right };
  if (left.kind !== "path") {
    throw reader.invalid(`Operator or function requires a document path; operator or function: ${kind}`);
  }
  return { kind, path: left.path, otherwise: right };
}
