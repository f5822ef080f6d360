import { Writable } from "node:stream";

/**
 * Reports what is written to this thread's standard output and standard error. A worker's own streams take two
 * messages between the threads for each write.
 */
export function watchOutput(onWritten: (text: string) => void): void {
  const value = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      onWritten(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
      done();
    },
  });
  for (const name of ["stdout", "stderr"]) Object.defineProperty(process, name, { value });
}
