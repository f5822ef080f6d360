import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";

type RunningHash = Hash | Hmac;

/** The SDK's hashes, computed by Node's crypto module instead of the JavaScript fallbacks that the SDK includes. */
abstract class NodeHash {
  readonly #start: () => RunningHash;
  #hash: RunningHash;

  constructor(start: () => RunningHash) {
    this.#start = start;
    this.#hash = start();
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }
}

/** SHA-256, or HMAC-SHA-256 if there is a secret. Used to sign requests. */
export class Sha256 extends NodeHash {
  constructor(secret?: string | Uint8Array) {
    super(() => (secret ? createHmac("sha256", secret) : createHash("sha256")));
  }
}

/** Used to verify the bodies of SQS messages. */
export class Md5 extends NodeHash {
  constructor() {
    super(() => createHash("md5"));
  }
}
