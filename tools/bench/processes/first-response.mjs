/**
 * A new execution environment, reduced to what is necessary: loads a bundle, calls its handler once and reports how
 * long that took since the process began. JavaScript, so that Node has no types to strip.
 */
import { createRequire } from "node:module";

const { handler } = createRequire(import.meta.url)(process.env.BUNDLE);
const context = {
  functionName: "bench",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:bench",
  memoryLimitInMB: "1024",
  awsRequestId: "00000000-0000-0000-0000-000000000000",
};
const response = await handler(JSON.parse(process.env.EVENT), context).catch((error) => error);
const ms = performance.now();
const { user, system } = process.cpuUsage();
process.send({ ms, processorMs: (user + system) / 1_000, statusCode: response?.statusCode });
process.disconnect();
process.exit();
