/** Invokes a function from an event source until it is stopped. */
export interface EventSourcePoller {
  /** Looks for records at once, if the source has to be asked for them. */
  wake?(): void;
  /** Stops after current batches. */
  stop(): Promise<void>;
}
