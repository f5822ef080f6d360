import * as z from "zod";
import { readKept, writePrivately } from "../machine/kept-file.ts";

const Registered = z.object({ inbox: z.string(), signingSecret: z.string() });
const Kept = z.record(z.string(), Registered);

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

  /** The inbox for which an endpoint was registered. */
  inboxOf(endpointId: string): string | undefined {
    return this.#byEndpoint.get(endpointId)?.inbox;
  }

  /** The secret of an endpoint; none if it was not registered by the console. */
  ofEndpoint(endpointId: string): string[] {
    const registered = this.#byEndpoint.get(endpointId);
    return registered ? [registered.signingSecret] : [];
  }

  inboxes(): string[] {
    return [...this.#byEndpoint.values()].map(({ inbox }) => inbox);
  }

  ofInbox(inbox: string): string[] {
    return [...this.#byEndpoint.values()]
      .filter((registered) => registered.inbox === inbox)
      .map(({ signingSecret }) => signingSecret);
  }
}
