import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../contract/json.ts";

/** A response of the service. */
export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; empty when there is none. */
  readonly body: JsonObject;
}

export interface Request {
  readonly method: string;
  /** Sent as it stands: no normalising of dots, slashes or percent signs. */
  readonly path: string;
  /** Name and value, pair by pair, so that a name may be repeated. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

/** The header of a request whose body is JSON. */
export const JSON_TYPE = [["Content-Type", "application/json"]] as const;

/** A delivery as it reached a receiver. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly sequence: number;
    readonly data: Readonly<Record<string, unknown>>;
    readonly [member: string]: unknown;
  };
  readonly at: number;
}
