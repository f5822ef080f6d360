import { anchorOf, anchorOfEvent, description, eventsIn, operationsIn } from "./description.ts";
import type { Guide } from "./guides.ts";

/** What a search may find, and where it is from the environment's base URL. */
interface Findable {
  readonly url: string;
  /** The page that it is on. */
  readonly page: string;
  readonly title: string;
  /** The method and path of an operation. */
  readonly route?: string;
  readonly text: string;
}

/** The documents of the search: every section and error code of the guides, every operation and every event. */
export function findables(guides: readonly Guide[]): Findable[] {
  const ofGuides = guides.flatMap(({ name, title: page, sections }) =>
    sections.map(({ id, title, text }) => ({
      url: `docs/guides/${name}${id && `#${id}`}`,
      page,
      title,
      text: text.replaceAll(/\s+/g, " ").trim(),
    })),
  );
  const ofOperations = operationsIn(description).map((operation) => ({
    url: `docs#${anchorOf(operation)}`,
    page: "API reference",
    title: operation.summary,
    route: `${operation.method} ${operation.path}`,
    text: `${operation.operationId} ${withoutMarks(operation.description)}`,
  }));
  const ofEvents = eventsIn(description).map((event) => ({
    url: `docs#${anchorOfEvent(event)}`,
    page: "API reference",
    title: event.type,
    text: `${event.summary} ${withoutMarks(event.description)}`,
  }));
  return [...ofGuides, ...ofOperations, ...ofEvents];
}

/** The text of Markdown in one line, without emphasis, code marks and addresses of links. */
function withoutMarks(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*|`/g, "")
    .replaceAll(/\s+/g, " ");
}

/** The list of pages for language models (llmstxt.org). Its links lead to copies in Markdown. */
export function llmsText(guides: readonly Guide[]): string {
  const { title, description: about } = description.info;
  const [summary = ""] = about.split("\n");
  const lines = guides.map(
    ({ name, title: guide, summary: text }) => `- [${guide}](docs/guides/${name}.md): ${text}`,
  );
  return `# ${title}

> ${summary}

Every call has the header \`X-API-Key\`. A key belongs to one organisation and one environment.

## Guides

${lines.join("\n")}

## Reference

- [Operations](docs/reference.md): each operation with a sample call
- [OpenAPI 3.1 description](openapi.json): every field, constraint, response and event
`;
}

/** The list of guides in Markdown. */
export function guidesMarkdown(guides: readonly Guide[]): string {
  return `# Guides

${guides.map(({ name, title, summary }) => `- [${title}](guides/${name}.md): ${summary}`).join("\n")}
`;
}

/** The reference in Markdown: each operation with its text and a call. The fields are in the description. */
export function referenceMarkdown(): string {
  const sections = operationsIn(description).map((operation) => {
    const [sample] = operation["x-codeSamples"];
    return `## ${operation.summary}

\`${operation.method} ${operation.path}\` (\`${operation.operationId}\`)

${operation.description}

\`\`\`sh
${sample?.source}
\`\`\``;
  });
  return `# API reference

${description.info.description}

Every field, constraint, response and event is in the [OpenAPI description](../openapi.json).

${sections.join("\n\n")}
`;
}
