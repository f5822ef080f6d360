/** A local stack in a process of its own, so that a test can kill it: data folder and assembly as arguments. */
import { startLocalStack } from "../../local/local-stack.ts";

const [dataDir = "", directory = "", stackName = ""] = process.argv.slice(2);
const stack = await startLocalStack({
  dataDir,
  port: 0,
  throttling: false,
  assembly: { directory, stackName },
});
process.on("SIGTERM", () => void stack.stop().then(() => process.exit(0)));
process.stdout.write(`${JSON.stringify({ baseUrl: stack.baseUrl, ...stack.organisations[0] })}\n`);
