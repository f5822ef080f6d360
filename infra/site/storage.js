/** A browser may refuse to keep anything for the page. The viewer, which would not start, then gets a map instead. */
if (isRefused()) {
  const items = new Map();
  Object.defineProperty(window, "localStorage", {
    value: {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, String(value)),
      removeItem: (key) => void items.delete(key),
    },
  });
}

function isRefused() {
  try {
    return !window.localStorage;
  } catch {
    return true;
  }
}
