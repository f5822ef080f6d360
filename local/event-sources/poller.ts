/** Invokes a function from an event source until it is stopped. */
export interface EventSourcePoller {
  /** Stops after current batches. */
  stop(): Promise<void>;
}
