/**
 * The first life of an execution environment, as little as there can be of it: loads a bundle, calls its
 * handler once and tells what that took since the process began. JavaScript, so that Node has no types to strip.
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
const answer = await handler(JSON.parse(process.env.EVENT), context).catch((error) => error);
const ms = performance.now();
const { user, system } = process.cpuUsage();
process.send({ ms, processorMs: (user + system) / 1_000, statusCode: answer?.statusCode });
process.disconnect();
process.exit();
