/** How long a command may take to exit before it is killed, in seconds. */
const KILL_AFTER_SECONDS = 5;

/**
 * A shell script that runs a command while the script's standard input stays open. When the process that started it
 * ends, however that happens, the operating system closes that pipe, and the command is ended. A shell takes 1 MB of
 * memory, a second Node 60 MB.
 */
const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- &
command=$!
trap 'kill "$command" 2>/dev/null' TERM INT
{
  while read -r _; do :; done
  kill "$command" 2>/dev/null
  waited=0
  while [ "$waited" -lt ${KILL_AFTER_SECONDS} ] && kill -0 "$command" 2>/dev/null; do sleep 1; waited=$((waited + 1)); done
  kill -9 "$command" 2>/dev/null
} <&3 &
guard=$!
exec 3<&-
wait "$command"
code=$?
# A signal to this shell ends the first wait.
wait "$command" 2>/dev/null
kill "$guard" 2>/dev/null
exit "$code"
`;

/** The program and arguments that run a command under a guard. */
export function guarded(command: string, args: readonly string[]): [program: string, args: string[]] {
  return ["sh", ["-c", SCRIPT, "process-guard", command, ...args]];
}
