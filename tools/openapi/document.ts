import { createDocument, type oas31 } from "zod-openapi";
import { CONTRACT_VERSION } from "#contract/events";
import { explain, inJsonSchemasWords } from "./described.ts";
import { nameEnumerations } from "./enumerations.ts";
import { openValues } from "./open-values.ts";
import { paths } from "./operations.ts";
import { parameters } from "./path-parameters.ts";
import { errorComponents } from "./responses.ts";
import { schemas } from "./schemas.ts";
import { explainUnions, unions } from "./unions.ts";
import { WEBHOOKS_TAG, webhooks } from "./webhooks.ts";

const description = `
A recruiting partner creates candidates in an intake stage. Integrators read them in a safe projection without sensitive personal data. Subscribers receive signed webhooks as a candidate moves through its lifecycle.

- Bodies are JSON in UTF-8; bytes that are not UTF-8 are refused, never replaced. Requests with members that are not listed here are refused. Expect new members in responses.
- Requests with values that are not listed here are refused. Expect other values in responses where a member has *known values*.
- Lengths count Unicode code points: an emoji such as 🙂 counts as one. Text is stored exactly as sent; lone surrogates are refused.
- Numbers are stored with double precision; those beyond the range of a double, such as \`1e400\`, are refused.
- Dates are valid calendar dates, \`YYYY-MM-DD\`. Date-times are RFC 3339 with \`Z\` or an offset; those of a candidate are returned as sent.
- Every error is an object with exactly two members: \`error\`, a code for programs, and \`message\`, a sentence for people.
- Responses have an \`X-Request-Id\`: include it when you report a problem. A 429 of the firewall and the response to a body over 10 MB may have none.
- Parts marked \`x-extension\` go beyond version ${CONTRACT_VERSION} of the contract, which allows additions to v1. Those marked \`x-sandbox\` do not exist in production.
`.trim();

/** The base URL of an environment: the stack's output \`BaseUrl\`. */
function server(environment: string, keyPrefix: string): oas31.ServerObject {
  return {
    url: `https://{api}.execute-api.{region}.amazonaws.com/${environment}`,
    description: `The ${environment} environment. Its keys begin with \`${keyPrefix}\`.`,
    variables: {
      api: {
        default: "your-api-id",
        description: "The id of the API. You receive its base URL with your key.",
      },
      region: { default: "eu-west-1", description: "The AWS region." },
    },
  };
}

const tags: readonly oas31.TagObject[] = [
  {
    name: "Candidates",
    description: "Create candidates, read them in the safe projection, amend them, erase them.",
  },
  { name: "Webhook endpoints", description: "Register the endpoints to which events are sent." },
  {
    name: "Sandbox",
    description: "Make the platform's transitions, for tests. Not in production.",
  },
  {
    name: "Events",
    description: "Read the events of your organisation, whether or not they were delivered.",
  },
  {
    name: WEBHOOKS_TAG,
    description: "The events that endpoints receive: signed, thin, delivered at least once.",
  },
];

/** The OpenAPI description of the service, generated from its validation schemas. */
function openApiDocument() {
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Candidate Management Service",
        version: CONTRACT_VERSION,
        description,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [
        server("production", "rr_live_"),
        server("development", "rr_dev_"),
        {
          url: "http://127.0.0.1:{port}",
          description: "The local stack that `npm start` runs.",
          variables: { port: { default: "3000", description: "The `PORT` of `npm start`." } },
        },
      ],
      security: [{ ApiKey: [] }],
      tags: [...tags],
      paths,
      webhooks,
      components: {
        // No operation refers to it, but a receiver has its generated type.
        schemas: { WebhookEvent: unions.WebhookEvent.schema },
        parameters,
        responses: errorComponents,
        securitySchemes: {
          ApiKey: {
            type: "apiKey",
            in: "header",
            name: "X-API-Key",
            description:
              "A key belongs to one organisation and one environment, and is issued by the platform team. " +
              "Calls with a missing or invalid key are refused with 401 before anything else is checked, except that the path exists and that path and query are valid percent-encoding.",
          },
        },
      },
    },
    { override: inJsonSchemasWords },
  );
  const components = (document.components?.schemas ?? {}) as Record<string, oas31.SchemaObject>;
  for (const [name, words] of Object.entries(schemas)) explain(components[name] ?? {}, words);
  explainUnions(components);
  openValues(document);
  nameEnumerations(document);
  return document;
}

/** The description as stored in `docs/openapi.json`. */
export function openApiJson(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}
