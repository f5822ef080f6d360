import { createDocument, type oas31 } from "zod-openapi";
import { CONTRACT_VERSION } from "#contract/events";
import { errorComponents } from "./answers.ts";
import { explain, inJsonSchemasWords } from "./described.ts";
import { openValues } from "./open-values.ts";
import { parameters, paths } from "./operations.ts";
import { schemas } from "./schemas.ts";
import { webhooks } from "./webhooks.ts";

const description = `
A recruiting partner pushes candidates into an intake stage; integrators read them back in a projection that never shows personal data; subscribers get signed webhooks as a candidate moves through its lifecycle.

- Bodies are JSON in UTF-8; bytes that are not UTF-8 are refused, never replaced. Members that are not listed here are refused in requests; expect new ones in responses.
- Values that are not listed here are refused in requests; where a response says *known values*, expect others.
- Lengths count Unicode code points: an emoji is one. Text is kept exactly as it was sent; a lone surrogate is refused.
- Dates are days that the calendar has, as \`YYYY-MM-DD\`. Date-times are RFC 3339 with \`Z\` or an offset, and are returned as they were sent.
- Every error is an object of exactly \`error\`, a code for programs, and \`message\`, a sentence for people.
- Every response carries \`X-Request-Id\`. Quote it when you report a problem.
- What is marked \`x-extension\` goes beyond version ${CONTRACT_VERSION} of the contract, within its rule that v1 only grows.
`.trim();

/** Where an environment answers: the stack's output \`BaseUrl\`. */
function server(environment: string, keyPrefix: string): oas31.ServerObject {
  return {
    url: `https://{api}.execute-api.{region}.amazonaws.com/${environment}`,
    description: `The ${environment} environment; its keys begin with \`${keyPrefix}\`.`,
    variables: {
      api: { default: "your-api-id", description: "The id of the API: you get its base URL with your key." },
      region: { default: "eu-west-1", description: "The AWS region." },
    },
  };
}

/** The OpenAPI description of the service, from the schemas that it validates with. */
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
        { url: "http://127.0.0.1:3000", description: "The local stack that `npm start` runs." },
      ],
      security: [{ ApiKey: [] }],
      tags: [
        {
          name: "Candidates",
          description: "Create candidates, read them back in the safe projection, amend them, erase them.",
        },
        { name: "Webhook endpoints", description: "Say where events are to be sent." },
        { name: "Events", description: "What endpoints receive: signed, thin, at least once." },
      ],
      paths,
      webhooks,
      components: {
        parameters,
        responses: errorComponents,
        securitySchemes: {
          ApiKey: {
            type: "apiKey",
            in: "header",
            name: "X-API-Key",
            description:
              "A key belongs to one organisation and one environment, and is issued by the platform team. " +
              "Calls with a missing or invalid key are refused with 401 before anything else is checked.",
          },
        },
      },
    },
    { override: inJsonSchemasWords },
  );
  for (const [name, words] of Object.entries(schemas)) {
    explain(document.components?.schemas?.[name] as oas31.SchemaObject, words);
  }
  openValues(document);
  return document;
}

/** The description as it is kept in `docs/openapi.json`. */
export function openApiJson(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}
