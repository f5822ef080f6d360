import { devNull } from "node:os";
import { reachLoopbackDirectly } from "../client/terminal/loopback-proxy.ts";

/** What a developer's shell may set and the code under test reads. */
const SETTINGS =
  /^(?:AWS_\w+|POWERTOOLS_\w+|LOG_LEVEL|NODE_USE_ENV_PROXY|PORT|LOCAL_DATA_DIR|DYNAMODB_ENDPOINT)$/;

/**
 * Removes a developer's settings from the environment of the tests and of what they start. The end-to-end tests on a
 * deployed stack reach it with the settings for AWS.
 */
export function withoutDeveloperSettings(env: NodeJS.ProcessEnv): void {
  if (env["CONTRACT_BASE_URL"]) return;
  for (const name of Object.keys(env)) if (SETTINGS.test(name)) delete env[name];
  reachLoopbackDirectly(env);
  // Otherwise the SDK reads ~/.aws, and asks the network for credentials.
  Object.assign(env, {
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: "true",
  });
}
