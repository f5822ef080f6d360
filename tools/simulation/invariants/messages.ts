import { MINUTE } from "#runtime/durations";
import { marksIn } from "../requests.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS } from "./times.ts";

// What every response to a caller and every request to a receiver has, whatever it is about.

/** Functions of the platform, whose callers get no HTTP response. */
const PRIVATE: ReadonlySet<string> = new Set([
  "advance-candidate",
  "recover-deliveries",
  "redrive-dead-letters",
  "reseal-signing-secrets",
  "rotate-keyring",
]);

export const errorsAreEnvelopes: Invariant = {
  sentence:
    "Every response has a request id and is not to be cached, and an error is an envelope that repeats nothing that was sent.",
  *violations({ calls }) {
    for (const { step, functionName, response } of calls) {
      // The rows of a batch have no headers; API Gateway, not the service, responds for a function that has ended.
      if (!response || PRIVATE.has(functionName) || functionName === "create-candidate-batch") continue;
      const { status, headers, body } = response;
      if (status === 504 || (status === 500 && "errorType" in Object(body))) continue;
      if (!headers["X-Request-Id"] || headers["Cache-Control"] !== "no-store")
        yield `step ${step.number} got the headers ${JSON.stringify(headers)}`;
      if (status < 400) continue;
      const { error, message, ...others } = body as { error?: unknown; message?: unknown };
      if (typeof error !== "string" || typeof message !== "string" || Object.keys(others).length > 0)
        yield `step ${step.number} got the error ${JSON.stringify(body).slice(0, 200)}`;
      if (marksIn(String(message)).length > 0) yield `step ${step.number} got what it sent in ${message}`;
    }
  },
};

/** Receivers may refuse what is older than five minutes (docs/guides/webhooks.md). A process connects in between. */
const OLDEST_MS = MINUTE;

export const attemptsNameThemselves: Invariant = {
  sentence: "Each attempt contains its event's id and type, and its own time, in its headers.",
  *violations({ posts }) {
    for (const { headers, body, startedAt, url } of posts) {
      const { id, type } = JSON.parse(body);
      const isNamed =
        headers["X-RR-Event-Id"] === id &&
        headers["webhook-id"] === id &&
        headers["X-RR-Event-Type"] === type &&
        headers["Content-Type"] === "application/json";
      if (!isNamed) yield `${id} is posted to ${url} with ${JSON.stringify(headers)}`;
      const age = startedAt - Number(headers["webhook-timestamp"]) * 1000;
      if (!(age > -CLOCKS_MS && age < OLDEST_MS))
        yield `${id} is posted to ${url} with a time of ${age} ms ago`;
    }
  },
};

export const samplesAreInvented: Invariant = {
  sentence:
    "A sample is about nobody: no candidate has its handles, and nothing that was submitted is in it.",
  *violations({ posts, story, handleOf }) {
    const handles = new Set(story.people.map(handleOf));
    for (const { body, url } of posts) {
      const { id, data, sample } = JSON.parse(body);
      if (sample !== true) continue;
      const isOfSomebody =
        handles.has(data.stagedId) || story.people.some(({ externalId }) => externalId === data.externalId);
      if (isOfSomebody || marksIn(body).length > 0) yield `the sample ${id} to ${url} is about a candidate`;
    }
  },
};
