import { type AttemptResult, type PostOptions, WebhookClient } from "#webhooks/delivery/webhook-client";
import { TIMEOUTS_MS } from "#webhooks/endpoints/lane";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import type { Post } from "./history.ts";
import type { Behaviour, Subscriber } from "./operations.ts";
import type { Random } from "./random.ts";
import { type Reaction, ReceiverConnection } from "./receiver-connection.ts";
import type { VirtualClock } from "./virtual-clock.ts";

interface Dependencies {
  readonly clock: VirtualClock;
  readonly beginning: number;
  readonly onPost: (post: Post) => void;
}

/** A post as it arrives, how long its client waits, and since when, in ms. */
interface Arrival {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeout: number;
  readonly begunAt: number;
}

const NO_RESPONSE: { readonly statusCode?: number; readonly retryAfter?: number } = {};

/** The response of an address that belongs to no subscriber. */
const NOBODY: Behaviour = { kind: "gone", from: 0, until: Number.POSITIVE_INFINITY };

/** The receivers of a story. */
export class Receivers {
  readonly #subscribers: readonly Subscriber[];
  readonly #dependencies: Dependencies;

  constructor(subscribers: readonly Subscriber[], dependencies: Dependencies) {
    this.#subscribers = subscribers;
    this.#dependencies = dependencies;
  }

  /** The service's own client, on connections to these receivers. */
  clientOf(environment: ExecutionEnvironment) {
    const { clock } = this.#dependencies;
    return {
      post: (
        url: string,
        headers: Readonly<Record<string, string>>,
        body: string,
        options: PostOptions,
      ): Promise<AttemptResult> => {
        const { late, timeout } = options;
        const begunAt = clock.now();
        const connection = new ReceiverConnection({
          clock,
          environment,
          react: (address, sent, posted) =>
            this.#react(environment, { address, headers: sent, body: posted, timeout, begunAt }),
        });
        const client = new WebhookClient(connection);
        // A timer of the process may fire while the environment is frozen: nothing reaches it then.
        const seen = late && {
          after: late.after,
          report: () => void environment.sees(Promise.resolve()).then(late.report),
        };
        return environment.sees(client.post(url, headers, body, { timeout, ...(seen && { late: seen }) }));
      },
    };
  }

  /** The reaction to a post that arrives now, which is recorded with what the service must make of it. */
  #react(
    { random, eventSource = "" }: ExecutionEnvironment,
    { address, headers, body, timeout, begunAt }: Arrival,
  ): Reaction {
    const { clock, beginning, onPost } = this.#dependencies;
    const startedAt = clock.now();
    const [url = ""] = address.split("?");
    const subscriber = this.#subscribers.findIndex((each) => each.url === url);
    const { behaviour } = this.#subscribers[subscriber] ?? { behaviour: NOBODY };
    const since = startedAt - beginning;
    const isWell = address !== url || since < behaviour.from || since >= behaviour.until;
    const reaction = reactionOf(isWell ? "takes all" : behaviour.kind, random);
    const tookMs =
      startedAt - begunAt + (reaction.kind === "never" ? Number.POSITIVE_INFINITY : reaction.afterMs);
    const isTimeout = tookMs >= timeout;
    const shortLane = eventSource.includes("SideQueue") ? "side" : "delivery";
    const lane = timeout < TIMEOUTS_MS.retry ? shortLane : "retry";
    const { statusCode, retryAfter } = isTimeout || reaction.kind !== "response" ? NO_RESPONSE : reaction;
    onPost({
      subscriber,
      url,
      address,
      startedAt,
      headers,
      body,
      lane,
      isCut: isTimeout && lane !== "retry",
      statusCode,
      durationMs: Math.min(tookMs, timeout),
      retryAfter,
    });
    return reaction;
  }
}

/**
 * The `Retry-After` of a receiver, in ms. Sometimes it is longer than the most that the service respects, which is a
 * day.
 */
function retryAfter(random: Random): number {
  return random.chance(0.95) ? random.integer(1, 60) * 1000 : 400 * 24 * 60 * 60_000;
}

function reactionOf(kind: Behaviour["kind"], random: Random): Reaction {
  // Sometimes this leaves time for other work to happen in between.
  const afterMs = random.chance(0.2) ? random.integer(500, 5_000) : random.integer(5, 150);
  const response = (statusCode: number): Reaction => ({ kind: "response", afterMs, statusCode });
  switch (kind) {
    case "takes all":
      return response(random.pick([200, 202, 204]));
    case "hangs":
    case "loses its responses":
      return { kind: "never" };
    case "fails":
      return random.chance(0.5)
        ? response(random.pick([400, 500, 502]))
        : { kind: "connection breaks", afterMs };
    case "unavailable":
      return { kind: "response", afterMs, statusCode: 503, retryAfter: retryAfter(random) };
    case "gone":
      return response(410);
    case "redirects":
      return response(302);
    case "flaky":
      return response(random.chance(0.5) ? 200 : 500);
    case "slow":
      return { kind: "response", afterMs: random.integer(3_000, 9_900), statusCode: 204 };
  }
}
