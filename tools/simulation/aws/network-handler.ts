import type { HttpHandler, HttpHandlerOptions, HttpRequest, HttpResponse } from "@smithy/core/protocols";
import type { clientDefaults } from "#runtime/client-defaults";
import { DAY } from "#runtime/durations";
import type { ExecutionEnvironment } from "./execution-environment.ts";
import { errorResponseOf, readRequest, responseOf } from "./json-protocol.ts";
import type { Network, ServiceName } from "./network.ts";

/** The settings of the SDK's NodeHttpHandler that the service uses. */
type Settings = typeof clientDefaults.requestHandler;

/** Takes the SDK's HTTP requests to a service through the simulated network, as NodeHttpHandler takes them to AWS. */
export class NetworkHandler implements HttpHandler<Settings> {
  readonly #service: ServiceName;
  readonly #settings: Settings;
  readonly #environment: ExecutionEnvironment;
  readonly #network: Network;

  constructor(service: ServiceName, settings: Settings, environment: ExecutionEnvironment, network: Network) {
    this.#service = service;
    this.#settings = settings;
    this.#environment = environment;
    this.#network = network;
  }

  /** @throws the errors that NodeHttpHandler throws; those of the simulation itself */
  async handle(
    request: HttpRequest,
    { abortSignal, requestTimeout = this.#settings.requestTimeout }: HttpHandlerOptions = {},
  ): Promise<{ response: HttpResponse }> {
    if (abortSignal) throw new Error("A request that the caller can abort is not simulated.");
    const { throwOnRequestTimeout } = this.#settings;
    const sent = { service: this.#service, ...readRequest(request.headers, request.body) };
    try {
      // Without a timeout the SDK waits for as long as the connection lasts.
      const timeoutMs = throwOnRequestTimeout && requestTimeout > 0 ? requestTimeout : DAY;
      return { response: responseOf(await this.#network.request(this.#environment, sent, timeoutMs)) };
    } catch (error) {
      const response = errorResponseOf(this.#service, error);
      if (!response) throw error;
      return { response };
    }
  }

  updateHttpClientConfig(): void {
    throw new Error("The settings of the simulated network's handler do not change.");
  }

  httpHandlerConfigs(): Settings {
    return this.#settings;
  }
}
