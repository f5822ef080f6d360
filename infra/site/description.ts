import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An operation as the description has it: what the site shows of it. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly "x-codeSamples": readonly {
    readonly lang: string;
    readonly label: string;
    readonly source: string;
  }[];
}

/** An event as the description has it. */
interface DescribedEvent {
  readonly type: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
}

interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Omit<DescribedEvent, "type"> }>>;
}

/** `docs/openapi.json` as bytes, and read. */
export const descriptionFile = readFileSync(join(import.meta.dirname, "../../docs/openapi.json"));
export const description = JSON.parse(descriptionFile.toString()) as Description;

/** Every operation, in the order of the description. */
export function operationsIn({ paths }: Description): DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => ({
        ...(operation as Omit<DescribedOperation, "method" | "path">),
        method: method.toUpperCase(),
        path,
      })),
  );
}

/** The anchor of an operation in the reference, as the viewer makes it. */
export function anchorOf({ tags: [tag], method, path }: DescribedOperation): string {
  return `${anchorOfTag(tag)}/${method}${path}`;
}

/** Every event, in the order of the description. */
export function eventsIn({ webhooks }: Description): DescribedEvent[] {
  return Object.entries(webhooks).map(([type, { post }]) => ({ ...post, type }));
}

/** The anchor of an event in the reference, as the viewer makes it. */
export function anchorOfEvent({ tags: [tag], type }: DescribedEvent): string {
  return `${anchorOfTag(tag)}/webhook/POST/${type.replaceAll("_", "-")}`;
}

function anchorOfTag(tag: string): string {
  return `tag/${tag.toLowerCase().replaceAll(" ", "-")}`;
}
