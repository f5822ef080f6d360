/** A metric filter on JSON log lines, as it stands in a template. */
export interface MetricFilter {
  readonly FilterPattern: string;
  readonly LogGroupName: unknown;
  readonly MetricTransformations: readonly [
    {
      readonly MetricNamespace: string;
      readonly MetricName: string;
      readonly MetricValue: string;
      readonly DefaultValue?: number;
      readonly Dimensions?: readonly { readonly Key: string; readonly Value: string }[];
    },
  ];
}

/**
 * The dimensions of the data point that a filter publishes for a log line; undefined where the line does not match.
 * Of the syntax ("Filter pattern syntax for metric filters", Amazon CloudWatch Logs User Guide) it knows comparisons
 * of the line's own fields with a text, which may end in `*`, joined by `&&`.
 */
export function published(filter: MetricFilter, line: string): Readonly<Record<string, string>> | undefined {
  const fields: unknown = JSON.parse(line);
  const [{ Dimensions = [] }] = filter.MetricTransformations;
  if (!conditionsOf(filter.FilterPattern).every(([field, text]) => matches(fieldOf(fields, field), text))) {
    return undefined;
  }
  return Object.fromEntries(
    Dimensions.map(({ Key, Value }) => {
      const value = fieldOf(fields, Value);
      // CDK's documentation asks for every field that is taken to be in the pattern: it is there, then.
      if (value === undefined) throw new Error(`The line matches, and has no ${Value}.`);
      return [Key, value];
    }),
  );
}

function conditionsOf(pattern: string): [field: string, text: string][] {
  const [, conditions] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (conditions === undefined) throw new SyntaxError(`${pattern} is no pattern for JSON.`);
  return conditions.split(" && ").map((condition) => {
    const [, , field, text] = /^(\(?)(\$\.\w+) = "([\w*/]+)"\)?$/.exec(condition) ?? [];
    if (field === undefined || text === undefined) throw new SyntaxError(`${condition} is not known here.`);
    return [field, text];
  });
}

/** A text or number, which are what a selector can point to. */
function fieldOf(fields: unknown, selector: string): string | undefined {
  const value = (fields as Readonly<Record<string, unknown>>)[selector.replace("$.", "")];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function matches(value: string | undefined, text: string): boolean {
  if (value === undefined) return false;
  return text.endsWith("*") ? value.startsWith(text.slice(0, -1)) : value === text;
}
