import fc from "fast-check";
import { anyText } from "../builders/any-text.ts";

/*
 * The kinds of value that the contract's tables speak of, each with what is just inside its bounds, what
 * is just outside, and an arbitrary of all that is inside. `bounds.ts` is written in these words.
 */

/** A value and why it is in the list. */
interface Sample {
  readonly what: string;
  readonly value: unknown;
  /** About the kind rather than the bounds of one member: once over HTTP is enough. */
  readonly detail?: true;
}

interface KindOfValue {
  readonly accepted: readonly Sample[];
  readonly refused: readonly Sample[];
  readonly nullable: boolean;
  readonly arbitrary: fc.Arbitrary<unknown>;
  /** The plainest value, a different one for each index where that can matter. */
  sample(index?: number): unknown;
}
export interface Leaf extends KindOfValue {
  readonly type: "leaf";
}
export interface List extends KindOfValue {
  readonly type: "list";
  readonly item: Kind;
}
export interface Table extends KindOfValue {
  readonly type: "object";
  readonly members: Readonly<Record<string, Member>>;
}
export type Kind = Leaf | List | Table;

export interface Member {
  readonly kind: Kind;
  readonly required: boolean;
  /** What an absent member reads back as, where the contract gives it a default. */
  readonly fallback?: unknown;
}

export function required(kind: Kind): Member {
  return { kind, required: true };
}

export function optional(kind: Kind, fallback?: unknown): Member {
  return fallback === undefined ? { kind, required: false } : { kind, required: false, fallback };
}

export function nullable<Any extends Kind>(kind: Any): Any {
  return { ...kind, nullable: true, arbitrary: fc.option(kind.arbitrary, { freq: 5, nil: null }) };
}

const EMOJI = "\u{1F600}";

/** A string of `minimum` to `maximum` code points. */
export function text(minimum: number, maximum: number): Leaf {
  const nearest = Math.max(minimum, 1);
  return leaf({
    sample: "x".repeat(nearest),
    accepted: [
      ...(minimum === 0 ? [{ what: "the empty string", value: "" }] : []),
      { what: `${nearest} letters`, value: "x".repeat(nearest) },
      { what: `${maximum} letters`, value: "x".repeat(maximum) },
      { what: `${maximum} emoji, each one character`, value: EMOJI.repeat(maximum) },
      ...details([
        { what: "spaces around, kept", value: ` ${"x".repeat(nearest)} ` },
        { what: "a null character and a line feed", value: "a\u0000\n" },
        { what: "letters that a normal form would change", value: "e\u0301 \u00c5 \ufb01" },
      ]),
    ],
    refused: [
      ...(minimum > 0 ? [{ what: "the empty string", value: "" }] : []),
      ...(minimum > 1
        ? [
            { what: `${minimum - 1} letters`, value: "x".repeat(minimum - 1) },
            { what: `${minimum - 1} emoji`, value: EMOJI.repeat(minimum - 1) },
          ]
        : []),
      { what: `${maximum + 1} letters`, value: "x".repeat(maximum + 1) },
      { what: `${maximum + 1} emoji`, value: EMOJI.repeat(maximum + 1) },
      { what: "a number", value: 1 },
      ...details([
        { what: "a lone high surrogate", value: "ab\ud83d" },
        { what: "a lone low surrogate", value: "\ude00ab" },
        { what: "surrogates in the wrong order", value: "a\ude00\ud83d" },
        ...notStrings,
      ]),
    ],
    arbitrary: anyText({ minLength: minimum, maxLength: maximum }),
  });
}

/** One of the given values, and nothing that merely looks like one. */
export function oneOf(...values: readonly (string | true)[]): Leaf {
  return leaf({
    sample: values[0],
    accepted: values.map((value) => ({ what: String(value), value })),
    refused: [
      { what: "an unknown word", value: "zebra" },
      ...details([
        { what: "the empty string", value: "" },
        { what: "the word in capitals", value: String(values[0]).toUpperCase() },
        { what: "the word with a space", value: `${values[0]} ` },
        { what: "false", value: false },
        { what: "a number", value: 1 },
        { what: "an array of the word", value: [values[0]] },
        { what: "an object", value: {} },
      ]),
    ],
    arbitrary: fc.constantFrom(...values),
  });
}

export function boolean(): Leaf {
  return leaf({
    sample: true,
    accepted: [
      { what: "true", value: true },
      { what: "false", value: false },
    ],
    refused: [
      { what: "the text true", value: "true" },
      ...details([
        { what: "1", value: 1 },
        { what: "0", value: 0 },
        { what: "an array", value: [true] },
        { what: "an object", value: {} },
      ]),
    ],
    arbitrary: fc.boolean(),
  });
}

/** A number of `minimum` to `maximum`, fractions allowed. */
export function number(minimum: number, maximum = Number.MAX_VALUE): Leaf {
  return leaf({
    sample: minimum,
    accepted: [
      { what: `${minimum}`, value: minimum },
      { what: `${maximum}`, value: maximum },
      { what: "a fraction", value: minimum + 0.25 },
    ],
    refused: [
      { what: "a little less than the least", value: minimum - 1e-9 },
      { what: "one less than the least", value: minimum - 1 },
      ...(maximum < Number.MAX_VALUE
        ? [
            { what: "a little more than the most", value: maximum + 1e-9 },
            { what: "one more than the most", value: maximum + 1 },
          ]
        : []),
      { what: "a number as text", value: "1" },
      ...details(notNumbers),
    ],
    arbitrary: fc
      .double({ min: minimum, max: maximum, noNaN: true })
      // JSON.stringify writes -0 as 0.
      .map((value) => value + 0),
  });
}

/** A whole number of `minimum` to `maximum`, or as far as JSON's numbers are exact. */
export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Leaf {
  return leaf({
    sample: (index: number) => minimum + index,
    accepted: [
      { what: `${minimum}`, value: minimum },
      { what: `${maximum}`, value: maximum },
    ],
    refused: [
      { what: `${minimum - 1}`, value: minimum - 1 },
      { what: `${maximum + 1}`, value: maximum + 1 },
      { what: "a fraction", value: minimum + 0.5 },
      { what: "the least fraction above", value: minimum === 0 ? 1e-20 : minimum * (1 + Number.EPSILON) },
      { what: "a number as text", value: "1" },
      ...details([{ what: "a huge number", value: 1e300 }, ...notNumbers]),
    ],
    arbitrary: fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1000) }),
      fc.maxSafeNat().map((value) => Math.min(Math.max(value, minimum), maximum)),
    ),
  });
}

/** An array of `minimum` to `maximum` items. */
export function list(minimum: number, maximum: number, item: Kind): List {
  const items = (count: number) => Array.from({ length: count }, (_, index) => item.sample(index));
  return {
    type: "list",
    item,
    nullable: false,
    accepted: [
      { what: minimum === 0 ? "no items" : `${minimum} items`, value: items(minimum) },
      { what: `${maximum} items`, value: items(maximum) },
    ],
    refused: [
      ...(minimum > 0 ? [{ what: "too few items", value: items(minimum - 1) }] : []),
      { what: `${maximum + 1} items`, value: items(maximum + 1) },
      { what: "a text", value: "x" },
      ...details([
        { what: "a null among the items", value: [item.sample(), null] },
        { what: "an array among the items", value: [item.sample(), []] },
        { what: "an object with indices", value: { 0: item.sample(), length: 1 } },
        { what: "a number", value: 0 },
        { what: "true", value: true },
      ]),
    ],
    arbitrary: fc.array(item.arbitrary, { minLength: minimum, maxLength: Math.min(maximum, minimum + 3) }),
    sample: () => items(minimum),
  };
}

/** A JSON object with these members and no others. */
export function object(members: Readonly<Record<string, Member>>): Table {
  const entries = Object.entries(members);
  const requiredNames = entries.filter(([, member]) => member.required).map(([name]) => name);
  const sample = (index = 0) =>
    Object.fromEntries(requiredNames.map((name) => [name, members[name]?.kind.sample(index)]));
  return {
    type: "object",
    members,
    nullable: false,
    accepted: [],
    refused: [
      { what: "an array", value: [sample()] },
      ...details([
        { what: "a text", value: "x" },
        { what: "a number", value: 1 },
        { what: "true", value: true },
      ]),
    ],
    arbitrary: fc.record(Object.fromEntries(entries.map(([name, member]) => [name, member.kind.arbitrary])), {
      requiredKeys: requiredNames,
    }),
    sample,
  };
}

/** A day of the calendar, as `YYYY-MM-DD`. */
export function fullDate(): Leaf {
  return leaf({
    sample: "2024-02-29",
    accepted: firstOf(DATES),
    refused: firstOf(NOT_DATES),
    arbitrary: aDate,
  });
}

/** An RFC 3339 date-time with `Z` or an offset. */
export function dateTime(): Leaf {
  return leaf({
    sample: "2026-01-01T00:00:00Z",
    accepted: firstOf(DATE_TIMES),
    refused: firstOf(NOT_DATE_TIMES),
    arbitrary: fc
      .tuple(
        aDate,
        fc.integer({ min: 0, max: 86_399 }),
        fc.constantFrom("", ".5", ".000", ".123456789"),
        fc.constantFrom("Z", "+00:00", "-11:30", "+14:00"),
      )
      .map(([date, second, fraction, offset]) => {
        const time = new Date(second * 1000).toISOString().slice(11, 19);
        return `${date}T${time}${fraction}${offset}`;
      }),
  });
}

/** An absolute URI of at most 2048 characters. */
export function uri(): Leaf {
  return leaf({
    sample: "https://example.com/",
    accepted: [LONGEST_URI, ...details(URIS)],
    refused: [TOO_LONG_URI, ...firstOf(NOT_URIS)],
    arbitrary: fc
      .tuple(
        fc.constantFrom("https://example.com/", "s3://bucket/", "urn:partner:", "ftp://files.example.org/"),
        fc.string({ unit: fc.constantFrom(..."aZ9-._~/?!$&'()*+,;=:@", "%20", "%C3%A9"), maxLength: 60 }),
      )
      .map(([start, rest]) => start + rest),
  });
}

/** An e-mail address of at most 254 characters. */
export function email(): Leaf {
  return leaf({
    sample: "ada@example.com",
    accepted: [LONGEST_EMAIL, ...details(EMAILS)],
    refused: [TOO_LONG_EMAIL, ...firstOf(NOT_EMAILS)],
    arbitrary: fc
      .tuple(
        fc.array(
          fc.string({ unit: fc.constantFrom(..."aZ09!#$%&'*+/=?^_`{|}~-"), minLength: 1, maxLength: 20 }),
          {
            minLength: 1,
            maxLength: 3,
          },
        ),
        fc.constantFrom("example.com", "Mail.Example.CO.UK", "xn--bcher-kva.example"),
      )
      .map(([labels, domain]) => `${labels.join(".")}@${domain}`),
  });
}

export function countryCode(): Leaf {
  return leaf({
    sample: "GB",
    accepted: firstOf(["GB", "ZZ", "XK"].map(itself)),
    refused: firstOf(
      ["gb", "Gb", "G", "GBR", "", "G1", "ÄÖ", " GB", "GB ", "GB\n"].map(itself).concat(notStrings),
    ),
    arbitrary: fc.string({ unit: capital, minLength: 2, maxLength: 2 }),
  });
}

export function currencyCode(): Leaf {
  return leaf({
    sample: "EUR",
    accepted: firstOf(["EUR", "XXX", "ZZZ"].map(itself)),
    refused: firstOf(
      ["eur", "Eur", "EU", "EURO", "", "E1R", "€UR", " EUR", "EUR\n"].map(itself).concat(notStrings),
    ),
    arbitrary: fc.string({ unit: capital, minLength: 3, maxLength: 3 }),
  });
}

interface LeafProps {
  readonly sample: unknown;
  readonly accepted: readonly Sample[];
  readonly refused: readonly Sample[];
  readonly arbitrary: fc.Arbitrary<unknown>;
}

function leaf({ sample, ...rest }: LeafProps): Leaf {
  return {
    type: "leaf",
    nullable: false,
    ...rest,
    sample: (index = 0) => (typeof sample === "function" ? sample(index) : sample),
  };
}

function details(samples: readonly Sample[]): Sample[] {
  return samples.map((sample) => ({ ...sample, detail: true }));
}

/** The first as a bound of each member, the others as details of the kind. */
function firstOf([first, ...others]: readonly Sample[]): Sample[] {
  return [...(first ? [first] : []), ...details(others)];
}

function itself(value: unknown): Sample {
  return { what: JSON.stringify(value), value };
}

const notStrings: readonly Sample[] = [
  { what: "true", value: true },
  { what: "an array", value: ["x"] },
  { what: "an object", value: {} },
];

const notNumbers: readonly Sample[] = [
  { what: "the empty string", value: "" },
  { what: "true", value: true },
  { what: "an array", value: [1] },
  { what: "an object", value: {} },
];

const capital = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const aDate = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const DATES = [
  "2024-02-29",
  "2000-02-29",
  "2023-02-28",
  "2023-12-31",
  "2023-04-30",
  "0001-01-01",
  "9999-12-31",
].map(itself);

const NOT_DATES = [
  "2023-02-29",
  "1900-02-29",
  "2023-02-30",
  "2023-04-31",
  "2023-13-01",
  "2023-00-10",
  "2023-01-00",
  "2023-01-32",
  "2023",
  "2023-01",
  "2023-1-1",
  "20230101",
  "2023-001",
  "2023-W01-1",
  "01/02/2023",
  "2023/01/02",
  "2023-01-01T00:00:00Z",
  "2023-01-01Z",
  " 2023-01-01",
  "2023-01-01\n",
  "-2023-01-01",
  "+002023-01-01",
  "10000-01-01",
  "٢٠٢٣-٠١-٠١",
  "today",
  "",
]
  .map(itself)
  .concat(notStrings);

const DATE_TIMES = [
  "2026-03-01T09:00:00Z",
  "2026-03-01T09:00:00+02:00",
  "2026-03-01T09:00:00-11:30",
  "2026-03-01T09:00:00.1Z",
  "2026-03-01T09:00:00.123456789+05:45",
  "2024-02-29T23:59:59Z",
  "2026-03-01T00:00:00-00:00",
  "2016-12-31T23:59:60Z",
  "2017-01-01T05:29:60+05:30",
  "2017-01-01T00:59:60.5+01:00",
  "2016-12-31T15:59:60-08:00",
  "2016-12-31T00:29:60-23:30",
].map(itself);

const NOT_DATE_TIMES = [
  "2026-03-01T09:00:00",
  "2026-03-01T09:00:00.5",
  "2026-03-01T09:00Z",
  "2026-03-01T09Z",
  "2026-03-01 09:00:00Z",
  "2026-03-01 T09:00:00Z",
  "2026-03-01",
  "09:00:00Z",
  "2026-03-01T24:00:00Z",
  "2026-03-01T23:60:00Z",
  "2026-03-01T23:59:61Z",
  "2016-12-31T22:59:60Z",
  "2016-12-31T23:58:60Z",
  "2016-12-31T23:59:60+01:00",
  "2016-12-31T23:59:60-08:00",
  "2026-03-01T09:00:00+2:00",
  "2026-03-01T09:00:00+0200",
  "2026-03-01T09:00:00+02",
  "2026-03-01T09:00:00+24:00",
  "2026-03-01T09:00:00+02:60",
  "2026-03-01T09:00:00.Z",
  "2026-03-01T09:00:00,5Z",
  "2026-03-01T9:00:00Z",
  "2023-02-29T09:00:00Z",
  "2026-3-1T09:00:00Z",
  "2026-03-01T09:00:00ZZ",
  "2026-03-01T09:00:00Z\n",
  " 2026-03-01T09:00:00Z",
  "20260301T090000Z",
  "Sun, 01 Mar 2026 09:00:00 GMT",
  "1772355600",
  "",
]
  .map(itself)
  .concat([{ what: "seconds since 1970", value: 1_772_355_600 }], notStrings);

const HTTPS = "https://example.com/";

const LONGEST_URI: Sample = { what: "2048 characters", value: HTTPS + "a".repeat(2048 - HTTPS.length) };
const TOO_LONG_URI: Sample = { what: "2049 characters", value: HTTPS + "a".repeat(2049 - HTTPS.length) };

const URIS: readonly Sample[] = [
  ...[
    "https://example.com",
    "HTTPS://Example.COM:443/a/../b/./c//d?x=1&y=%C3%A9#Fragment",
    "http://localhost:8080/",
    "http://[2001:db8::1]:8080/x",
    "https://user:secret@example.com/",
    "s3://bucket_name/key/with%20space.pdf",
    "urn:isbn:0451450523",
    "mailto:ada@example.com",
    "file:///etc/hosts",
    "file:/etc/hosts",
    "data:text/plain;base64,SGVsbG8=",
    "tag:example.com,2026:x",
    "gs+v2.x-y://bucket/key",
    "https://example.com/a%2Fb?redirect=https://other.example/",
    "https://example.com/javascript:about",
    "https://example.com/it's(fine)*,;=:@!$&'",
    "https://xn--bcher-kva.example/",
    "https://ex%20ample.com/",
    "https://example.com:99999999/",
    "https://[::ffff:192.0.2.1]/",
    "https://[v1.fe80::a+en1]/",
    "https:///path",
    "about:",
    "about:#",
    "x-partner:?/@:",
  ].map(itself),
];

const NOT_URIS: readonly Sample[] = [
  ...[
    "example.com",
    "/relative/path",
    "//example.com/path",
    "../up",
    "?query",
    "#fragment",
    "C:\\x",
    "\\\\server\\share",
    " https://example.com/",
    "https://example.com/ ",
    "https://example.com/\n",
    "https://example.com/a b",
    "https://example.com/\ta",
    "https://example.com/é",
    "https://bücher.example/",
    "https://example.com/\u{1F600}",
    "https://example.com/%",
    "https://example.com/%zz",
    "https://example.com/a%2",
    'https://example.com/"quoted"',
    "https://example.com/<b>",
    "https://example.com/a|b",
    "https://example.com/a^b",
    "https://example.com/`a`",
    "https://example.com/{id}",
    "https://example.com/a[1]",
    "https://example.com/?a[1]=2",
    "https://example.com/#a[1]",
    "https://example.com/#a#b",
    "https://a@b@example.com/",
    "https://example.com:80a/",
    "https://[2001:db8::1",
    "https://[1::2::3]/",
    "https://[::1%25eth0]/",
    "https://[192.0.2.1]/",
    "https://[]/",
    "https://example.com/\u0000",
    "1https://example.com/",
    "-x://example.com/",
    "ht_tp://example.com/",
    "://example.com/",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "vbscript:msgbox(1)",
    "VBScript:msgbox(1)",
    "",
  ].map(itself),
  ...notStrings,
];

// 64 + @ + 189 = 254; no label of the domain is over 63.
const LONGEST_LOCAL = "l".repeat(64);
const domainOf = (length: number) =>
  `${"d".repeat(63)}.${"d".repeat(61)}.${"d".repeat(length - 63 - 61 - 2)}`;

const LONGEST_EMAIL: Sample = { what: "254 characters", value: `${LONGEST_LOCAL}@${domainOf(189)}` };
const TOO_LONG_EMAIL: Sample = { what: "255 characters", value: `${LONGEST_LOCAL}@${domainOf(190)}` };

const EMAILS: readonly Sample[] = [
  ...[
    "ada@example.com",
    "Ada.Lovelace@Example.COM",
    "ada+jobs@example.com",
    "o'brien@example.ie",
    "a&b@example.com",
    "!#$%&'*+/=?^_`{|}~-@example.com",
    "1@example.com",
    "_@example.com",
    "a@b.cc",
    "a@mail.sub-domain.example.co.uk",
    "a@123.example",
    "a@xn--bcher-kva.example",
  ].map(itself),
  { what: "a local part of 64", value: `${LONGEST_LOCAL}@example.com` },
];

const NOT_EMAILS: readonly Sample[] = [
  ...[
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@example",
    "ada@@example.com",
    "ada@b@example.com",
    ".ada@example.com",
    "ada.@example.com",
    "ada..lovelace@example.com",
    "ada@.example.com",
    "ada@example..com",
    "ada@-example.com",
    "ada@example-.com",
    "ada lovelace@example.com",
    " ada@example.com",
    "ada@example.com ",
    "ada@example.com\n",
    "ada@exam ple.com",
    "ada,bob@example.com",
    "ada;bob@example.com",
    "Ada <ada@example.com>",
    "<ada@example.com>",
    "mailto:ada@example.com",
    "ada(home)@example.com",
    "ada[1]@example.com",
    "ada\\@example.com",
    '"ada"@example.com',
    "äda@example.com",
    "ada@example.com,bob@example.com",
  ].map(itself),
  { what: "a local part of 65", value: `${LONGEST_LOCAL}l@example.com` },
  ...notStrings,
];
