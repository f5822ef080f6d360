import { ERROR_STATUS } from "#contract/errors";
import { HOUR } from "#runtime/durations";
import type { Response } from "./history.ts";
import type { Random } from "./random.ts";
import type { Request } from "./requests.ts";
import type { SimulatedService } from "./service.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** How long a request or a response is under way between a caller and the service, in ms. */
const NETWORK_MS = [1, 20] as const;
/** API Gateway's integration timeout, in ms (Amazon API Gateway quotas). */
const GATEWAY_TIMEOUT_MS = 29_000;
/** How long a reader waits that meets no faults, in ms. */
const READ_TIMEOUT_MS = HOUR;

interface Dependencies {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly service: SimulatedService;
}

/** What is between callers and functions: a network that may lose requests and responses, and API Gateway. */
export class Gateway {
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #service: SimulatedService;

  constructor({ clock, random, service }: Dependencies) {
    this.#clock = clock;
    this.#random = random;
    this.#service = service;
  }

  /** @returns undefined when the caller gets no response */
  async send({ functionName, event, isOfApi }: Request): Promise<Response | undefined> {
    await this.#clock.delay(this.#random.integer(...NETWORK_MS));
    if (this.#service.faults.happensToCaller("request lost")) return undefined;
    const result = await this.#withinTimeout(this.#service.invoke(functionName, event), isOfApi);
    await this.#clock.delay(this.#random.integer(...NETWORK_MS));
    if (this.#service.faults.happensToCaller("response lost")) return undefined;
    if (!result) return { status: 504, headers: {}, body: {} };
    const payload = JSON.parse(result.payload);
    if (!isOfApi) return ofPrivateFunction(payload, result.functionError !== undefined);
    if (result.functionError) return { status: 500, headers: {}, body: payload };
    return {
      status: payload.statusCode,
      headers: payload.headers ?? {},
      body: payload.body ? JSON.parse(payload.body) : undefined,
    };
  }

  /** Sends a request, and lets time pass until there is a response. */
  async read(request: Request): Promise<Response> {
    let response: Response | undefined;
    void this.send(request).then((got) => {
      response = got;
    });
    await this.#clock.run(this.#clock.now() + READ_TIMEOUT_MS, () => response !== undefined);
    return response ?? { status: 0, headers: {}, body: undefined };
  }

  #withinTimeout<Result>(invocation: Promise<Result>, isOfApi: boolean): Promise<Result | undefined> {
    if (!isOfApi) return invocation;
    return Promise.race([invocation, this.#clock.delay(GATEWAY_TIMEOUT_MS).then(() => undefined)]);
  }
}

/** The status that each error of the service has in the API, by its name. */
const STATUS: Readonly<Record<string, number>> = ERROR_STATUS;

function ofPrivateFunction(payload: unknown, hasFailed: boolean): Response {
  if (!hasFailed) return { status: 200, headers: {}, body: payload };
  const { errorType } = payload as { errorType: string };
  return { status: STATUS[errorType] ?? 500, headers: {}, body: payload };
}
