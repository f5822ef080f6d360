import { availableParallelism } from "node:os";
import { Gateway, type GatewayOptions } from "./api-gateway/gateway.ts";
import type { Assembly } from "./assembly.ts";
import { startEventSource } from "./event-sources/event-source.ts";
import type { EventSourcePoller } from "./event-sources/poller.ts";
import type { EventSourceServices } from "./event-sources/services.ts";
import { type Invocation, LocalFunction, type LocalFunctionOptions } from "./lambda/local-function.ts";
import { Processors } from "./lambda/processors.ts";
import { Semaphore } from "./lambda/semaphore.ts";
import { CommandError } from "./machine/command-error.ts";
import { startSchedule } from "./schedules.ts";

/**
 * The execution environments that start at once: one for each processor, and two so that a slow one blocks no other.
 */
const STARTS_AT_ONCE = Math.max(2, availableParallelism());
/** Of those that a function has beyond the processors, one starts at a time: the others' work needs the processors. */
const FURTHER_STARTS_AT_ONCE = 1;

interface DeploymentOptions
  extends Omit<LocalFunctionOptions, "starts" | "furtherStarts" | "processors">,
    Omit<GatewayOptions, "functions"> {
  readonly eventSources: Omit<EventSourceServices, "processors">;
}

/** The running parts of an assembly: functions, API and event sources. A changed assembly gets a new deployment. */
export class Deployment {
  readonly functions: ReadonlyMap<string, LocalFunction>;
  readonly gateway: Gateway | undefined;
  readonly #assembly: Assembly;
  readonly #options: LocalFunctionOptions & DeploymentOptions;
  #pollers: readonly EventSourcePoller[] = [];
  #stopSchedules: readonly (() => void)[] = [];
  /** The functions that event sources invoke. */
  readonly #eventSourceTargets: LocalFunction[] = [];

  constructor(assembly: Assembly, options: DeploymentOptions) {
    this.#assembly = assembly;
    this.#options = {
      ...options,
      starts: new Semaphore(STARTS_AT_ONCE),
      furtherStarts: new Semaphore(FURTHER_STARTS_AT_ONCE),
      processors: new Processors(),
    };
    const onInvocation = (invocation: Invocation) => {
      options.onInvocation?.(invocation);
      // It may have written to the table.
      for (const poller of this.#pollers) poller.wake?.();
    };
    this.functions = new Map(
      assembly.functions.map((definition) => [
        definition.name,
        new LocalFunction(definition, { ...this.#options, onInvocation }),
      ]),
    );
    // Reports an unknown function before this deployment replaces another one.
    for (const source of [...assembly.eventSources, ...assembly.schedules]) this.#targetOf(source);
    this.gateway = assembly.api && new Gateway(assembly.api, { ...options, functions: this.functions });
  }

  /**
   * Starts to pass records and messages to their functions, and to invoke the functions that have a schedule. Each
   * event source has execution environments of its own: batches that wait for receivers that hang do not delay those of
   * another queue, nor other callers. In AWS an invocation that finds no idle environment gets a new one.
   */
  startEventSources(): void {
    const { eventSources, processors } = this.#options;
    this.#pollers = this.#assembly.eventSources.map((source) => {
      const target = new LocalFunction(this.#targetOf(source).definition, this.#options);
      this.#eventSourceTargets.push(target);
      return startEventSource(source, target, { ...eventSources, processors });
    });
    this.#stopSchedules = this.#assembly.schedules.map((schedule) =>
      startSchedule(schedule, this.#targetOf(schedule), eventSources.onFault),
    );
  }

  #targetOf({ id, functionName }: { readonly id: string; readonly functionName: string }): LocalFunction {
    const target = this.functions.get(functionName);
    if (!target) {
      throw new CommandError(`${id} invokes ${functionName}, but the template has no such function.`);
    }
    return target;
  }

  /** Stops polling and schedules, and waits for current batches. */
  async stopEventSources(): Promise<void> {
    for (const stop of this.#stopSchedules) stop();
    await Promise.all(this.#pollers.map((poller) => poller.stop()));
  }

  /** Waits for current work, then ends every function. */
  async close(): Promise<void> {
    await this.stopEventSources();
    await this.gateway?.settled();
    await Promise.all([...this.functions.values(), ...this.#eventSourceTargets].map((each) => each.close()));
  }
}
