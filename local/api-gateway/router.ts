import type { MethodDefinition } from "./definition.ts";

/** The method that matches a request, with decoded path parameters. */
export interface Route {
  readonly method: MethodDefinition;
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface RouteTemplate {
  readonly segments: readonly string[];
  readonly methods: ReadonlyMap<string, MethodDefinition>;
}

/** Finds methods by path and HTTP method, like a REST API: a literal segment takes precedence over `{a parameter}`. */
export class Router {
  readonly #templates: readonly RouteTemplate[];

  constructor(methods: readonly MethodDefinition[]) {
    this.#templates = [...Map.groupBy(methods, ({ resourcePath }) => resourcePath)]
      .map(([path, ofPath]) => ({
        segments: segmentsOf(path),
        methods: new Map(ofPath.map((method) => [method.httpMethod, method])),
      }))
      .sort((left, right) => parameterCount(left) - parameterCount(right));
  }

  /**
   * @param path as sent, still percent-encoded
   * @throws URIError if a segment is not valid percent-encoding
   */
  find(httpMethod: string, path: string): Route | undefined {
    const segments = segmentsOf(path).map(decodeURIComponent);
    const template = this.#templates.find((each) => matches(each.segments, segments));
    const method = template?.methods.get(httpMethod) ?? template?.methods.get("ANY");
    if (!template || !method) return undefined;
    return { method, pathParameters: parametersOf(template.segments, segments) };
  }
}

/** The path's segments. One trailing slash is ignored, as in API Gateway. */
function segmentsOf(path: string): string[] {
  return path.replace(/^\//, "").replace(/\/$/, "").split("/");
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  const last = template.at(-1);
  if (last?.endsWith("+}") ? segments.length < template.length : segments.length !== template.length) {
    return false;
  }
  return template.every((part, index) =>
    part.startsWith("{") ? segments[index] !== "" : part === segments[index],
  );
}

function parametersOf(template: readonly string[], segments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    template.flatMap((part, index) => {
      if (!part.startsWith("{")) return [];
      return part.endsWith("+}")
        ? [[part.slice(1, -2), segments.slice(index).join("/")]]
        : [[part.slice(1, -1), segments[index] ?? ""]];
    }),
  );
}

function parameterCount({ segments }: RouteTemplate): number {
  return segments.filter((segment) => segment.startsWith("{")).length;
}
