import { execFileSync } from "node:child_process";

const COMMAND = "openssl";

/** What OpenSSL's own command prints: a second implementation of what Node does for the service. */
export function openssl(args: readonly string[], input = ""): string {
  return execFileSync(COMMAND, args, { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
}
