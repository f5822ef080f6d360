interface Listener {
  readonly callbacks: Set<() => void>;
  readonly remove: () => void;
}

/** The listeners of signals that calls in progress wait for. */
const listeners = new WeakMap<AbortSignal, Listener>();

/**
 * Calls back when a signal is aborted. However many calls share a signal, it has one listener: Node warns of a memory
 * leak when a signal has more than ten.
 *
 * @returns a function that ends this; it may be called again
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, remove } = listeners.get(signal) ?? listenTo(signal);
  // Not the callback itself: two calls may pass the same.
  const entry = () => callback();
  callbacks.add(entry);
  return () => {
    if (callbacks.delete(entry) && callbacks.size === 0) remove();
  };
}

function listenTo(signal: AbortSignal): Listener {
  const callbacks = new Set<() => void>();
  const callAll = () => {
    for (const callback of [...callbacks]) callback();
  };
  const listener = {
    callbacks,
    remove() {
      signal.removeEventListener("abort", callAll);
      listeners.delete(signal);
    },
  };
  signal.addEventListener("abort", callAll);
  listeners.set(signal, listener);
  return listener;
}
