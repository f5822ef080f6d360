import * as z from "zod";
import type { Invocation } from "../lambda/local-function.ts";
import { readKept, writePrivately } from "../machine/kept-file.ts";

const Registered = z.object({
  inbox: z.string(),
  signingSecret: z.string(),
  /** Those before rotations, with which earlier requests were signed. */
  formerSecrets: z.optional(z.array(z.string())),
});
const Kept = z.record(z.string(), Registered);
const Succeeded = z.object({ statusCode: z.literal(200), body: z.string() });
const Rotated = z.object({ id: z.string(), signingSecret: z.string() });

/** The signing secrets of inboxes that the console registered, kept across restarts. */
export class KnownSecrets {
  readonly #file: string;
  readonly #byEndpoint: Map<string, z.infer<typeof Registered>>;

  /** @throws CommandError if the file is damaged */
  constructor(file: string) {
    this.#file = file;
    this.#byEndpoint = new Map(Object.entries(readKept(file, Kept) ?? {}));
  }

  add(endpointId: string, registered: z.infer<typeof Registered>): void {
    this.#byEndpoint.set(endpointId, registered);
    writePrivately(this.#file, JSON.stringify(Object.fromEntries(this.#byEndpoint), undefined, 2));
  }

  /** Adds the new secret if the invocation has rotated that of a registered inbox: only this response contains it. */
  learn({ functionName, result }: Invocation): void {
    if (!functionName.endsWith("-rotate-signing-secret")) return;
    const response = Succeeded.safeParse(JSON.parse(result));
    if (!response.success) return;
    const { id, signingSecret } = Rotated.parse(JSON.parse(response.data.body));
    const registered = this.#byEndpoint.get(id);
    if (registered) {
      this.add(id, { inbox: registered.inbox, signingSecret, formerSecrets: secretsOf(registered) });
    }
  }

  /** The inbox for which an endpoint was registered. */
  inboxOf(endpointId: string): string | undefined {
    return this.#byEndpoint.get(endpointId)?.inbox;
  }

  /** The secrets of an endpoint; none if it was not registered by the console. */
  ofEndpoint(endpointId: string): string[] {
    const registered = this.#byEndpoint.get(endpointId);
    return registered ? secretsOf(registered) : [];
  }

  inboxes(): string[] {
    return [...this.#byEndpoint.values()].map(({ inbox }) => inbox);
  }

  ofInbox(inbox: string): string[] {
    return [...this.#byEndpoint.values()]
      .filter((registered) => registered.inbox === inbox)
      .flatMap(secretsOf);
  }
}

function secretsOf({ signingSecret, formerSecrets = [] }: z.infer<typeof Registered>): string[] {
  return [signingSecret, ...formerSecrets];
}
