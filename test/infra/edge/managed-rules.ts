/** What the rules of a web ACL look at in a request, decoded as AWS WAF's own transformations do. */
export interface WebRequest {
  readonly method: string;
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

interface ManagedRule {
  readonly name: string;
  /** Whether a request is what AWS describes; AWS keeps the whole of its patterns to itself. */
  readonly matches: (request: WebRequest) => boolean;
  /** A request of AWS's description, with what makes it match and no more. */
  readonly example: WebRequest;
}

/** A request of the contract that no rule matches. */
const ORDINARY: WebRequest = {
  method: "GET",
  path: "/v1/candidates",
  headers: { "user-agent": "partner/1.0", host: "abc.execute-api.eu-west-1.amazonaws.com" },
  query: {},
  body: "",
};

const BODY_BYTES = 8_192;
const COOKIE_BYTES = 10_240;
const PATH_BYTES = 1_024;
const QUERY_BYTES = 2_048;

const metadataAddress = { pattern: /169\.254\.169\.254/, text: "http://169.254.169.254/latest/meta-data" };
const traversal = { pattern: /\.\.\//, text: "a/../../b" };
const systemFile = { pattern: /\.(?:bak|ini|log)\b/i, text: "x.log" };
const remoteFile = {
  pattern: /(?:https?|ftps?|file):\/\/\d{1,3}(?:\.\d{1,3}){3}/i,
  text: "http://192.0.2.1/x",
};
const script = { pattern: /<script\b/i, text: '<script>alert("hello")</script>' };
const javaCall = { pattern: /java\.lang\.Runtime/, text: '(java.lang.Runtime).getRuntime().exec("whoami")' };
const logLookup = { pattern: /\$\{jndi:/i, text: `\${jndi:ldap://example.com/}` };
/** CVE-2025-55182: what React's server components deserialise. */
const reactChunk = { pattern: /\$\d+:(?:__proto__|constructor):/, text: "$1:__proto__:then" };

interface Pattern {
  readonly pattern: RegExp;
  readonly text: string;
}

const inBody = (name: string, { pattern, text }: Pattern): ManagedRule => ({
  name,
  matches: ({ body }) => pattern.test(body),
  example: { ...ORDINARY, method: "POST", body: JSON.stringify({ summary: text }) },
});
const inPath = (name: string, { pattern, text }: Pattern): ManagedRule => ({
  name,
  matches: ({ path }) => pattern.test(path),
  example: { ...ORDINARY, path: `/v1/candidates/${text}` },
});
const inQuery = (name: string, { pattern, text }: Pattern): ManagedRule => ({
  name,
  matches: ({ query }) =>
    Object.entries(query)
      .flat(2)
      .some((value) => pattern.test(value)),
  example: { ...ORDINARY, query: { externalId: [text] } },
});
const inHeaders = (name: string, { pattern, text }: Pattern): ManagedRule => ({
  name,
  matches: ({ headers }) =>
    Object.entries(headers)
      .flat()
      .some((value) => pattern.test(value)),
  example: { ...ORDINARY, headers: { ...ORDINARY.headers, "x-forwarded-host": text } },
});
const inHeader = (name: string, header: string, { pattern, text }: Pattern): ManagedRule => ({
  name,
  matches: ({ headers }) => pattern.test(headers[header] ?? ""),
  example: { ...ORDINARY, headers: { ...ORDINARY.headers, [header]: text } },
});

/**
 * The rules of the groups, as "Baseline rule groups" of the AWS WAF developer guide lists and describes them. The IP
 * reputation group judges addresses alone, so that nothing in a request can match it.
 */
export const MANAGED_RULES: Readonly<Record<string, readonly ManagedRule[]>> = {
  AWSManagedRulesAmazonIpReputationList: [
    "AWSManagedIPReputationList",
    "AWSManagedReconnaissanceList",
    "AWSManagedIPDDoSList",
  ].map((name) => ({ name, matches: () => false, example: ORDINARY })),
  AWSManagedRulesKnownBadInputsRuleSet: [
    inHeaders("JavaDeserializationRCE_HEADER", javaCall),
    inBody("JavaDeserializationRCE_BODY", javaCall),
    inPath("JavaDeserializationRCE_URIPATH", javaCall),
    inQuery("JavaDeserializationRCE_QUERYSTRING", javaCall),
    inHeader("Host_localhost_HEADER", "host", { pattern: /localhost/i, text: "localhost" }),
    {
      name: "PROPFIND_METHOD",
      matches: ({ method }) => method === "PROPFIND",
      example: { ...ORDINARY, method: "PROPFIND" },
    },
    inPath("ExploitablePaths_URIPATH", { pattern: /web-inf/i, text: "web-inf" }),
    inHeaders("Log4JRCE_HEADER", logLookup),
    inQuery("Log4JRCE_QUERYSTRING", logLookup),
    inBody("Log4JRCE_BODY", logLookup),
    inPath("Log4JRCE_URIPATH", logLookup),
    inBody("ReactJSRCE_BODY", reactChunk),
  ],
  AWSManagedRulesCommonRuleSet: [
    {
      name: "NoUserAgent_HEADER",
      matches: ({ headers }) => headers["user-agent"] === undefined,
      example: { ...ORDINARY, headers: {} },
    },
    inHeader("UserAgent_BadBots_HEADER", "user-agent", { pattern: /nessus|nmap/i, text: "nmap" }),
    {
      name: "SizeRestrictions_QUERYSTRING",
      matches: ({ query }) => queryBytes(query) > QUERY_BYTES,
      example: { ...ORDINARY, query: { externalId: ["x"], other: ["x".repeat(QUERY_BYTES)] } },
    },
    inHeader("SizeRestrictions_Cookie_HEADER", "cookie", {
      pattern: new RegExp(`^.{${COOKIE_BYTES + 1}}`, "s"),
      text: "x".repeat(COOKIE_BYTES + 1),
    }),
    {
      name: "SizeRestrictions_BODY",
      matches: ({ body }) => Buffer.byteLength(body) > BODY_BYTES,
      example: { ...ORDINARY, method: "POST", body: JSON.stringify({ summary: "x".repeat(BODY_BYTES) }) },
    },
    {
      name: "SizeRestrictions_URIPATH",
      matches: ({ path }) => Buffer.byteLength(path) > PATH_BYTES,
      example: { ...ORDINARY, path: `/v1/candidates/${"x".repeat(PATH_BYTES)}` },
    },
    inBody("EC2MetaDataSSRF_BODY", metadataAddress),
    inHeader("EC2MetaDataSSRF_COOKIE", "cookie", metadataAddress),
    inPath("EC2MetaDataSSRF_URIPATH", metadataAddress),
    inQuery("EC2MetaDataSSRF_QUERYARGUMENTS", metadataAddress),
    inQuery("GenericLFI_QUERYARGUMENTS", traversal),
    inPath("GenericLFI_URIPATH", traversal),
    inBody("GenericLFI_BODY", traversal),
    inPath("RestrictedExtensions_URIPATH", systemFile),
    inQuery("RestrictedExtensions_QUERYARGUMENTS", systemFile),
    inQuery("GenericRFI_QUERYARGUMENTS", remoteFile),
    inBody("GenericRFI_BODY", remoteFile),
    inPath("GenericRFI_URIPATH", remoteFile),
    inHeader("CrossSiteScripting_COOKIE", "cookie", script),
    inQuery("CrossSiteScripting_QUERYARGUMENTS", script),
    inBody("CrossSiteScripting_BODY", script),
    inPath("CrossSiteScripting_URIPATH", script),
  ],
};

/** The names of the rules that a request matches. */
export function rulesMatching(request: WebRequest): string[] {
  return Object.values(MANAGED_RULES)
    .flat()
    .filter(({ matches }) => matches(request))
    .map(({ name }) => name);
}

function queryBytes(query: WebRequest["query"]): number {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of values) parameters.append(name, value);
  }
  return parameters.toString().length;
}
