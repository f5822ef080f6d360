import { randomBytes } from "node:crypto";
import { EVENT_TYPES } from "../../lib/contract/events.ts";
import { isSuccess } from "../../lib/webhooks/delivery/status-codes.ts";
import { newSigningSecret } from "../../lib/webhooks/endpoints/signature.ts";
import {
  type CandidateServiceClient,
  CandidateServiceError,
  type ClientOptions,
  type EventType,
} from "../src/index.ts";
import { createClient, failureText, messageOf } from "../terminal/connection.ts";
import { duration } from "../terminal/duration.ts";
import { CommandError, UsageError } from "../terminal/errors.ts";
import { watchForInterruption } from "../terminal/interruption.ts";
import { printable, printableJson } from "../terminal/printable.ts";
import { shortened } from "../terminal/shortened.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addressProblem, isNoSuchPath } from "../terminal/wrong-address.ts";
import { Bookmark } from "./bookmark.ts";
import { type Forwarded, forward } from "./forward.ts";
import { untilOutputCloses } from "./output.ts";

export interface ListenOptions {
  readonly url?: string;
  readonly key?: string;
  readonly forwardTo: URL;
  readonly secret?: string;
  readonly types?: readonly EventType[];
  readonly since?: string;
  readonly json?: true;
}

/** A signing secret: its key of at least 24 bytes, as for `verifyWebhook`, in either alphabet of base64. */
const SECRET = /^whsec_[A-Za-z\d+/_-]{32,}={0,2}$/;

/** A wait that is announced to users, in ms. */
const LONG_WAIT_MS = 10_000;

/** The first run starts with events from this long ago, in ms: this machine's clock may be ahead of the service's. */
const FIRST_RUN_MS = 60_000;

/**
 * Forwards the organisation's events to a URL as deliveries, until it is interrupted or its output is closed.
 *
 * @throws UsageError if it cannot start, CommandError if the feed cannot be read
 */
export async function listen(options: ListenOptions, terminal: Terminal): Promise<void> {
  const { url = "", key, forwardTo, secret = newSigningSecret(randomBytes), json } = options;
  // Not checked by the parser of the command line, which would repeat the secret in its message.
  if (!SECRET.test(secret)) {
    throw new UsageError(
      "--secret or CANDIDATES_SIGNING_SECRET: the secret of a webhook endpoint is expected, without spaces or line ends.",
    );
  }
  const say = sayTo(terminal);
  const client = createClient({ url, key }, { onRetry: reportOutages(say) });
  const { bookmark, start } = bookmarkOf(options);
  const unlock = bookmark.lock();
  terminal.once("exit", unlock);
  say(start);
  say(`Events are forwarded to ${shownUrl(forwardTo)}. Press Ctrl-C to stop.`);
  if (options.secret === undefined) say(`Signing secret: ${secret}`);
  const lineOf = json ? printableJson : columnsLine;
  let isDelivering = false;
  const interruption = watchForInterruption(terminal, () =>
    isDelivering ? "Finishing the event in progress." : undefined,
  );
  const stop = untilOutputCloses(terminal, interruption.signal);
  const notAcknowledged: string[] = [];
  const deliver: Deliver = async (event) => {
    isDelivering = true;
    const forwarded = await forward(event, { url: forwardTo, secret });
    isDelivering = false;
    terminal.stdout.write(`${lineOf(forwarded)}\n`);
    if (!isSuccess(forwarded.statusCode)) notAcknowledged.push(event.occurredAt);
  };
  try {
    const isResumed = options.since === undefined;
    await follow({ client, bookmark, isResumed, types: options.types, deliver, stop, url, say });
  } finally {
    interruption.end();
    bookmark.close();
    terminal.off("exit", unlock);
    unlock();
  }
  const [earliest] = notAcknowledged.sort();
  if (earliest === undefined) return;
  // Users paste it into a shell, so it is formatted here instead of printed as received.
  const since = new Date(earliest).toISOString();
  say(
    `Not acknowledged: ${notAcknowledged.length}. To forward events again from the first of these, add --since ${since}.`,
  );
}

type Deliver = (event: Parameters<typeof forward>[0]) => Promise<void>;

interface Follow {
  readonly client: CandidateServiceClient;
  readonly bookmark: Bookmark;
  /** Whether to start at the bookmark, because the caller gave no time. */
  readonly isResumed: boolean;
  readonly types: readonly EventType[] | undefined;
  readonly deliver: Deliver;
  readonly stop: AbortSignal;
  /** The address of the environment. */
  readonly url: string;
  readonly say: Say;
}

/** Delivers each event once, even if it is not acknowledged, so that no event blocks the others. */
async function follow({
  client,
  bookmark,
  isResumed,
  types,
  deliver,
  stop,
  url,
  say,
}: Follow): Promise<void> {
  let hasBegunAnew = false;
  while (!stop.aborted) {
    try {
      const feed = client.events({ ...bookmark.place, types, follow: true }, { signal: stop });
      for await (const { data, nextCursor } of feed.pages()) {
        for (const event of data) {
          if (stop.aborted) return;
          if (bookmark.isForwarded(event.id)) continue;
          await deliver(event);
          bookmark.note(event.id);
        }
        // The cursor was accepted, so a later one may expire again.
        if (bookmark.place.cursor !== undefined) hasBegunAnew = false;
        bookmark.turnTo({ cursor: nextCursor });
      }
    } catch (error) {
      if (stop.aborted) return;
      if (hasBegunAnew || !isExpired(error, bookmark, isResumed)) throw commandErrorOf(error, bookmark, url);
      say(
        `${shortened(error.message)}. Older events are no longer kept and are skipped. Continuing from the oldest one.`,
      );
      hasBegunAnew = true;
      bookmark.turnTo({});
    }
  }
}

/** Whether the bookmark is older than the events that are kept. The caller's own `--since` is refused instead. */
function isExpired(error: unknown, { place }: Bookmark, isResumed: boolean): error is CandidateServiceError {
  const isRefused = error instanceof CandidateServiceError && error.code === "events_expired";
  return isRefused && (place.cursor !== undefined || isResumed);
}

function commandErrorOf(error: unknown, { place }: Bookmark, url: string): unknown {
  if (!(error instanceof CandidateServiceError)) return error;
  const { code } = error;
  if (isNoSuchPath(error)) return new CommandError(addressProblem(error, url), { cause: error });
  // The next run would begin with the same cursor.
  const remedy =
    code === "invalid_request" && place.cursor ? " Use --since <time> to start from another time." : "";
  return new CommandError(`${failureText(error)}${remedy}`, { cause: error });
}

/** The bookmark, and a sentence that says where the run starts. */
function bookmarkOf({ url = "", key = "", since }: ListenOptions): { bookmark: Bookmark; start: string } {
  if (since !== undefined && Date.parse(since) > Date.now()) {
    throw new UsageError("--since: a time in the past is expected, by this machine's clock");
  }
  const earlier = since === undefined ? Bookmark.find(url, key) : undefined;
  const from = since ?? new Date(Date.now() - FIRST_RUN_MS).toISOString();
  const bookmark = earlier ?? Bookmark.begin(url, key, { since: from });
  bookmark.assertWritable();
  const start = earlier
    ? "Resuming where the last run stopped. Use --since <time> to start from another time."
    : `Starting with the events since ${from}.`;
  return { bookmark, start };
}

/** The receiver's URL for the terminal: user name, password and query may be secrets. */
function shownUrl(url: URL): string {
  const shown = new URL(url);
  if (url.username || url.password) [shown.username, shown.password] = ["***", ""];
  if (url.search) shown.search = "***";
  return shown.href;
}

/** Reports an outage once, however often the call is retried, and each long wait that the service requests. */
function reportOutages(say: Say): NonNullable<ClientOptions["onRetry"]> {
  let reported = "";
  return ({ error, waitMs }) => {
    const { code, attempts, retryAfterMs = 0 } = error;
    const isLong = retryAfterMs >= LONG_WAIT_MS;
    if (attempts > 1 && reported === code && !isLong) return;
    reported = code;
    const [requested, actual] = [retryAfterMs, waitMs].map((ms) => duration(ms / 1000));
    const next = isLong
      ? `The service asks callers to wait ${requested}. Retrying in ${actual}.`
      : "Retrying until it succeeds.";
    say(`${shortened(code)}: ${shortened(messageOf(error))} ${next}`);
  };
}

type Say = (sentence: string) => void;

/** To standard error: standard output has a line for each event and nothing else. */
function sayTo({ stderr }: Terminal): Say {
  return (sentence) => void stderr.write(`${printable(sentence)}\n`);
}

const TYPE_WIDTH = Math.max(...EVENT_TYPES.map(({ length }) => length));

function columnsLine(forwarded: Forwarded): string {
  const { at, type, stagedId, webhookEndpointId, statusCode, failure, durationMs } = forwarded;
  const columns = [
    at,
    type.padEnd(TYPE_WIDTH),
    stagedId ?? webhookEndpointId,
    statusCode ?? failure,
    `${durationMs} ms`,
  ];
  return printable(columns.join("  "));
}
