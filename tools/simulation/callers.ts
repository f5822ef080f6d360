import { handleOf, stagedIdOf } from "#candidates/handles";
import { Organisation } from "#contract/organisation";
import type { Person } from "./operations.ts";
import type { Random } from "./random.ts";
import { type ApiRequest, type Caller, proxyEvent, type Request } from "./requests.ts";

/** The organisations of a story. */
const ORGANISATIONS = ["acme", "globex"];

/** The organisations of a story as callers of the API, each with a handle key of its own. */
export class Callers {
  readonly #callers: ReadonlyMap<string, Caller>;
  #requests = 0;

  constructor(random: Random) {
    this.#callers = new Map(
      ORGANISATIONS.map((orgId) => {
        const handleKey = Buffer.from(random.fork(orgId).bytes(32)).toString("base64url");
        return [orgId, { organisation: Organisation.parse({ orgId, handleKey }), handleKey }];
      }),
    );
  }

  /** A request of an organisation to an operation of the API. */
  request(orgId: string, functionName: string, request: ApiRequest): Request {
    this.#requests += 1;
    const event = proxyEvent(this.#caller(orgId), `request-${this.#requests}`, request);
    const { eventId, headers } = request;
    const ifMatch = headers?.["If-Match"];
    return {
      functionName,
      event,
      isOfApi: true,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(eventId !== undefined && { eventId }),
    };
  }

  /** A person's `stagedId`. */
  stagedIdOf({ orgId, externalId }: Person): string {
    return stagedIdOf(handleOf(this.#caller(orgId).organisation, externalId).digest);
  }

  #caller(orgId: string): Caller {
    return this.#callers.get(orgId) as Caller;
  }
}
