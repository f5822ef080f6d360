import type { Organisation } from "#contract/organisation";
import { type Amended, EMPTIED, type Operation, type Person, type Row, type Step } from "./operations.ts";
import { Random } from "./random.ts";

/** A request of an operation: the function that it reaches, and the content. */
export interface Request {
  readonly functionName: string;
  readonly event: unknown;
  /** The version in the request's `If-Match`. */
  readonly ifMatch?: string;
  /** The event in the request's path. */
  readonly eventId?: string;
  /** Whether it goes through API Gateway, or invokes a private function. */
  readonly isOfApi: boolean;
}

/** An organisation of a story, and the text from which its handle key is made. */
export interface Caller {
  readonly organisation: Organisation;
  readonly handleKey: string;
}

/**
 * A mark in every value that a step sends, so that the value can be recognised: the organisation, and the step that
 * sent it.
 */
export function markOf({ orgId }: Pick<Person, "orgId">, step: Pick<Step, "number">): string {
  return `${orgId}-m${step.number}-`;
}

/** The marks within a text. */
export function marksIn(text: string): { readonly orgId: string; readonly step: number }[] {
  return [...text.matchAll(/\b(acme|globex)-m(\d+)-/g)].map(([, orgId = "", step]) => ({
    orgId,
    step: Number(step),
  }));
}

const ORDINARY = { documents: 1, versions: 1, characters: 2 };
/** More than one item can hold; compressed, it takes two parts. */
const LARGE = { documents: 24, versions: 12, characters: 1_950 };
/** More than half of what one item can hold. Together with large assessments it is more than one item can hold. */
const HALF = { ...LARGE, documents: 14 };
/** The same for assessments. */
const LARGE_ASSESSMENTS = { assessments: 12, competencies: 100, characters: 200 };

/**
 * Text that hardly compresses, so that values that are too large for one item are still too large when they are
 * packed.
 */
const NOISE = Buffer.from(
  new Random("noise").bytes(LARGE.documents * LARGE.versions * LARGE.characters),
).toString("base64url");

/** The body of a create. */
export function submissionOf(
  person: Person,
  step: Step,
  { isLarge, isInvalid }: Pick<Row, "isLarge" | "isInvalid">,
): object {
  const mark = markOf(person, step);
  return {
    externalId: person.externalId,
    firstName: `${mark}first`,
    lastName: `${mark}last`,
    email: isInvalid ? `${mark}mail` : `${mark}mail@example.com`,
    phone: `${mark}phone`,
    dateOfBirth: "1990-05-17",
    countryOfResidence: "GB",
    consentGiven: true,
    headline: `${mark}headline`,
    address: { country: "GB", line1: `${mark}street` },
    documents: [...documents(mark, sizeOf(step, isLarge)), sensitiveDocument(mark, "identity_document")],
  };
}

/** The most reasons of a rejection, and the most characters of one (`Reason` in lib/contract/reason.ts). */
const LONG_REASONS = { count: 50, characters: 500 };
/** The longest character in a message of a queue, which contains the JSON of an event as a string: seven bytes. */
const ESCAPED = "\u0001";
/** The reason whose long form is plain text. That of others takes seven times as much in a queue. */
const PLAIN = "name is missing";

/** The reasons of a failed validation. */
export function reasonsOf(reason: string, isLong: boolean): { code: string; message: string }[] {
  const [code = ""] = reason.split(" ");
  const first = { code, message: `The ${reason}.` };
  if (!isLong) return [first];
  const { count, characters } = LONG_REASONS;
  const others = Array.from({ length: count - 1 }, (_, index) => ({
    code: `other_${index}`,
    message:
      reason === PLAIN
        ? NOISE.slice(index * characters, (index + 1) * characters)
        : ESCAPED.repeat(characters),
  }));
  return [first, ...others];
}

/** The body of an amend. */
export function amendmentOf(
  person: Person,
  step: Step,
  {
    members,
    isLarge,
    consentGiven,
    onlySensitive,
    isEmptying,
    isInvalid,
  }: Extract<Operation, { name: "amend" }>,
): object {
  const mark = markOf(person, step);
  const values: Readonly<Record<Amended, unknown>> = {
    headline: `${mark}headline`,
    summary: `${mark}summary`,
    firstName: `${mark}first`,
    phone: `${mark}phone`,
    skills: [{ name: `${mark}skill`, yearsExperience: 3 }],
    documents: onlySensitive
      ? [sensitiveDocument(mark, "right_to_work")]
      : documents(mark, sizeOf(step, isLarge)),
    assessments: isLarge
      ? Array.from({ length: LARGE_ASSESSMENTS.assessments }, (_, index) => largeAssessment(mark, index))
      : ["partner", "other"].map((provider) => assessment(mark, "r1", provider)),
    // Content that the service does not interpret: only `consentGiven` decides.
    consents: [{ type: "data_processing", granted: false, policyVersion: `${mark}policy` }],
    ...(isEmptying && EMPTIED),
  };
  return {
    ...Object.fromEntries(members.map((member) => [member, values[member]])),
    ...(consentGiven !== undefined && { consentGiven }),
    ...(isInvalid && { email: `${mark}mail@example.com` }),
  };
}

function sizeOf({ number }: Step, isLarge: boolean): typeof LARGE {
  if (!isLarge) return ORDINARY;
  return number % 2 === 0 ? LARGE : HALF;
}

function assessment(mark: string, externalId: string, provider: string) {
  return { externalId, provider, name: `${mark}assessment`, status: "completed", score: 50 };
}

function largeAssessment(mark: string, index: number): object {
  const { competencies, characters } = LARGE_ASSESSMENTS;
  return {
    ...assessment(mark, `r${index}`, "partner"),
    competencies: Array.from({ length: competencies }, (_, competency) => {
      const from = (index * competencies + competency) * characters;
      return { code: `c${competency}`, label: NOISE.slice(from, from + characters) };
    }),
  };
}

function documents(mark: string, { documents: count, versions, characters }: typeof LARGE): object[] {
  return Array.from({ length: count }, (_, document) => ({
    documentType: "cv",
    label: `${mark}cv`,
    currentVersion: 1,
    versions: Array.from({ length: versions }, (_, index) => {
      const from = (document * versions + index) * characters;
      return {
        version: index + 1,
        url: `https://files.example.com/${mark}/${NOISE.slice(from, from + characters)}`,
        uploadedAt: "2026-01-01T00:00:00Z",
      };
    }),
  }));
}

function sensitiveDocument(mark: string, documentType: "identity_document" | "right_to_work"): object {
  return {
    documentType,
    currentVersion: 1,
    versions: [{ version: 1, url: `s3://${mark}passport`, uploadedAt: "2026-01-01T00:00:00Z" }],
  };
}

/** The longest competencies of an assessment: of characters that hardly compress, in four bytes each. */
const WIDE = { competencies: 100, code: 64, label: 200 };
/** What the code points of such characters have before them in Unicode: three planes of ideographs. */
const FIRST_WIDE = 0x20000;

/** An assessment by the platform. Six large ones are more than one item can hold. */
export function platformAssessmentOf({
  result,
  provider,
  title,
  isLarge,
}: Extract<Operation, { name: "assess" }>): object {
  const random = new Random(`${provider} ${result} ${title}`);
  const wide = (length: number) =>
    String.fromCodePoint(...Array.from({ length }, () => FIRST_WIDE + random.integer(0, 0xffff)));
  return {
    externalId: result,
    provider,
    name: title,
    status: "completed",
    ...(isLarge && {
      competencies: Array.from({ length: WIDE.competencies }, () => ({
        code: wide(WIDE.code),
        label: wide(WIDE.label),
      })),
    }),
  };
}

/** The content of a request to the API. */
export interface ApiRequest {
  readonly id?: string;
  readonly eventId?: string;
  readonly body?: object;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request in the form in which API Gateway passes it to a function, including the authorizer's context. */
export function proxyEvent(
  { organisation: { orgId }, handleKey }: Caller,
  requestId: string,
  { id, eventId, body, query, headers = {} }: ApiRequest,
): object {
  return {
    body: body ? Buffer.from(JSON.stringify(body)).toString("base64") : null,
    isBase64Encoded: body !== undefined,
    headers: { "Content-Type": "application/json", ...headers },
    pathParameters: id === undefined ? null : { id, ...(eventId !== undefined && { eventId }) },
    multiValueQueryStringParameters: query
      ? Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]))
      : null,
    requestContext: { requestId, authorizer: { orgId, keyId: "key_simulation", handleKey } },
  };
}
