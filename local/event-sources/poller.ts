/** Feeds a function until it is stopped. */
export interface EventSourcePoller {
  /** Ends after the batches that are being worked on. */
  stop(): Promise<void>;
}
