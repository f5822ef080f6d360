/**
 * The X-Ray SDK keeps the current segment in cls-hooked, which follows every promise by `async_hooks` so that
 * invocations at the same time have contexts of their own. An execution environment runs one invocation at a
 * time and the steps of its trace are made from its one segment, so a single context is enough.
 */
class Namespace {
  readonly #values = new Map<string, unknown>();

  createContext(): object {
    return {};
  }

  enter(): void {}

  get(key: string): unknown {
    return this.#values.get(key);
  }

  set<Value>(key: string, value: Value): Value {
    this.#values.set(key, value);
    return value;
  }
}

const namespaces = new Map<string, Namespace>();

export function createNamespace(name: string): Namespace {
  const namespace = new Namespace();
  namespaces.set(name, namespace);
  return namespace;
}

export function getNamespace(name: string): Namespace | undefined {
  return namespaces.get(name);
}
