import type { Board } from "./board.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { DeliveryView, RequestView } from "./page-data.ts";
import { requestView } from "./request-view.ts";
import type { SentRequests } from "./sent-requests.ts";
import { checkSignature } from "./signature-check.ts";

/** Finds the requests of deliveries, and checks their signatures. */
export class DeliveryRequests {
  readonly #sentRequests: SentRequests;
  readonly #endpoints: Board["endpoints"];
  readonly #secrets: Pick<KnownSecrets, "ofEndpoint">;

  constructor(sentRequests: SentRequests, { endpoints }: Board, secrets: Pick<KnownSecrets, "ofEndpoint">) {
    this.#sentRequests = sentRequests;
    this.#endpoints = endpoints;
    this.#secrets = secrets;
  }

  /** The request of a delivery's attempt; null if none is known. */
  of(delivery: DeliveryView, index: number): RequestView | null {
    const requests = this.#sentRequests.of(delivery, index).map((sent) => ({
      ...sent,
      signature: checkSignature(sent, this.#secrets.ofEndpoint(delivery.endpointId)),
    }));
    const url = this.#endpoints.get(delivery.endpointId)?.url;
    const request =
      requests.find(({ signature }) => signature === "verified") ?? requests.find((sent) => sent.url === url);
    return request ? requestView(request) : null;
  }
}
