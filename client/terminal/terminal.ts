/** What a command uses of its process. */
export type Terminal = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "on" | "once" | "off" | "exit">;
