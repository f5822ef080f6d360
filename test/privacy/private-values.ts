import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type * as z from "zod/mini";
import { CandidateStatus } from "#contract/candidate-status";
import { CandidateSubmission } from "#contract/candidate-submission";
import { EVENT_TYPES } from "#contract/events";
import { PLATFORM_TRANSITIONS } from "#contract/platform-transition";
import { DeliveryStatus } from "#contract/webhook-delivery";
import { bodyOf } from "../builders/proxy-event.ts";
import type { ParsedInvocation } from "../parsed-invocation.ts";

/**
 * The least that is searched for: less is found by chance. These are therefore not: two- and three-letter
 * codes of countries and currencies, integers, and any other text below it.
 */
const SHORTEST = 6;
/** In ms. */
const DAY = 24 * 60 * 60_000;
/** A shorter value may be a part of a word, as `author` is of `authorize`, and is searched for as a word. */
const WORD = 12;
/** A longer value is searched for by its beginning. */
const LONGEST = 40;

/** The words that the contract itself lists: they say nothing of a person, and stand in messages and code. */
export const CONTRACT_WORDS: ReadonlySet<string> = new Set<string>([
  ...wordsOf(CandidateSubmission),
  ...CandidateStatus.options,
  ...DeliveryStatus.options,
  ...EVENT_TYPES,
  ...PLATFORM_TRANSITIONS,
]);

/** What a private function is told that is no value of a person's: ids, and what is to be done. */
const IDS = new Set([
  "orgId",
  "keyId",
  "handle",
  "endpointId",
  "eventId",
  "recoveryId",
  "after",
  "transition",
  "queue",
]);
/** What the service, or the tests' own set-up, names things by. */
const HANDLE = /^(?:(?:staged|cand|whe|evt|rec|key)_\w+|org-[\w-]+)$/;
/** Found anywhere, as zeros are in an invented id. */
const ONE_CHARACTER = /^(.)\1+$/;
/** A number that is found nowhere by chance; `4e-323` is, in an id. */
const DECIMAL = /^\d+\.\d+$/;

/** Writes what no log may hold to a file, each value once, as functions are invoked. */
export function recordPrivateValues(file: string): (invocation: ParsedInvocation) => void {
  const seen = new Set<string>();
  writeFileSync(file, "");
  return (invocation) => {
    const unseen = [...new Set(privateValuesOf(invocation))].filter((value) => !seen.has(value));
    if (unseen.length === 0) return;
    for (const value of unseen) seen.add(value);
    appendFileSync(file, unseen.map((value) => `${JSON.stringify(value)}\n`).join(""));
  };
}

export function readPrivateValues(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/**
 * What an invocation holds of callers' values and of secrets: the texts of a request's body, query and
 * path, whatever they are; its API key; what a private function is told; keys and secrets that are told once.
 */
export function privateValuesOf(invocation: Pick<ParsedInvocation, "event" | "response">): string[] {
  const event = Object(invocation.event);
  // Streams and queues carry what came from callers before.
  if ("Records" in event) return [];
  const secrets = textsOf(secretsIn(Object(invocation.response)));
  const values = "headers" in event ? valuesOfRequest(event) : valuesOfCommand(event);
  return [...values, ...secrets].map((value) => value.slice(0, LONGEST)).filter(isSearched);
}

/** A moment of these days, which a log line's own time meets by chance. */
function isPresent(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && Math.abs(Date.parse(value) - Date.now()) < DAY;
}

/** Whether a value is searched for: long enough, no name of ours, no word of the contract's or of JavaScript's. */
function isSearched(value: string): boolean {
  return (
    [...value].length >= SHORTEST &&
    !isPresent(value) &&
    !HANDLE.test(value) &&
    !ONE_CHARACTER.test(value) &&
    !CONTRACT_WORDS.has(value) &&
    !(value in {})
  );
}

/** Those of the values that a text holds, as they are or as JSON spells them, also inside of JSON. */
export function foundIn(text: string, values: readonly string[]): string[] {
  const byBeginning = new Map<string, { readonly value: string; readonly spelling: string }[]>();
  for (const value of values) {
    const inJson = JSON.stringify(value).slice(1, -1);
    for (const spelling of new Set([value, inJson, JSON.stringify(inJson).slice(1, -1)])) {
      const beginning = spelling.slice(0, SHORTEST);
      byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), { value, spelling }]);
    }
  }
  const found = new Set<string>();
  for (let index = 0; index + SHORTEST <= text.length; index++) {
    for (const { value, spelling } of byBeginning.get(text.slice(index, index + SHORTEST)) ?? []) {
      if (!text.startsWith(spelling, index)) continue;
      if (value.length >= WORD || isWord(text, index, index + spelling.length)) found.add(value);
    }
  }
  return [...found];
}

/** Whether what stands there goes on neither before nor after; before may be a line feed as JSON spells it. */
function isWord(text: string, start: number, end: number): boolean {
  return (
    /(?:^|[^A-Za-z0-9]|\\[bfnrt])$/.test(text.slice(Math.max(0, start - 2), start)) &&
    !/^[A-Za-z0-9]/.test(text.slice(end, end + 1))
  );
}

interface Request {
  readonly headers?: Readonly<Record<string, string>> | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly multiValueQueryStringParameters?: Readonly<Record<string, string[]>> | null;
  readonly pathParameters?: Readonly<Record<string, string>> | null;
}

function valuesOfRequest(request: Request): string[] {
  const { headers, multiValueQueryStringParameters, pathParameters } = request;
  const apiKeys = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() === "x-api-key");
  return [
    ...apiKeys.map(([, apiKey]) => apiKey),
    ...Object.values(multiValueQueryStringParameters ?? {}).flat(),
    ...Object.values(pathParameters ?? {}),
    ...textsOfBody(bodyOf(request)),
  ];
}

function valuesOfCommand(command: object): string[] {
  return textsOf(Object.fromEntries(Object.entries(command).filter(([name]) => !IDS.has(name))));
}

function textsOfBody(body: string): string[] {
  try {
    return textsOf(JSON.parse(body));
  } catch {
    // What looks like a value in what is no JSON, and its beginning, which errors like to repeat.
    const quoted = [...body.matchAll(/"([^"]*)"(\s*:)?/g)];
    return [body, ...quoted.flatMap(([, text = "", colon]) => (colon ? [] : [text]))];
  }
}

/** Every text of a JSON value, at any depth, and every decimal number. */
export function textsOf(json: unknown): string[] {
  const texts: string[] = [];
  const waiting = [json];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") {
      if (DECIMAL.test(String(value))) texts.push(String(value));
    } else if (typeof value === "object" && value !== null)
      for (const part of Object.values(value)) waiting.push(part);
  }
  return texts;
}

/** The key or the secret in a response, the only one that shows it. */
function secretsIn(response: { apiKey?: string; body?: string }): unknown[] {
  const { signingSecret } = response.body?.startsWith('{"') ? JSON.parse(response.body) : {};
  return [response.apiKey, signingSecret];
}

function wordsOf(schema: z.core.$ZodType): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "enum":
      return Object.values(def.entries).map(String);
    case "object":
      return Object.values(def.shape).flatMap(wordsOf);
    case "array":
      return wordsOf(def.element);
    case "optional":
    case "nullable":
    case "default":
      return wordsOf(def.innerType);
    case "pipe":
      return wordsOf(def.out);
    default:
      return [];
  }
}
