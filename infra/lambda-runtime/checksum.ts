import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";

type RunningHash = Hash | Hmac;

/** The SDK's hashes by Node's own crypto, without the JavaScript ones that it keeps for where there is none. */
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

/** SHA-256, or the HMAC with it when there is a secret: what requests are signed with. */
export class Sha256 extends NodeHash {
  constructor(secret?: string | Uint8Array) {
    super(() => (secret ? createHmac("sha256", secret) : createHash("sha256")));
  }
}

/** What the bodies of SQS messages are checked with. */
export class Md5 extends NodeHash {
  constructor() {
    super(() => createHash("md5"));
  }
}
