import { devNull } from "node:os";
import { expect, test } from "vitest";
import { withoutDeveloperSettings } from "./developer-settings.ts";

const OF_THE_SHELL = { HOME: "/nowhere", PATH: "/usr/bin", TZ: "Asia/Kathmandu" };
const OF_THE_DEVELOPER = {
  AWS_PROFILE: "production",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  AWS_USE_FIPS_ENDPOINT: "true",
  DYNAMODB_ENDPOINT: "http://127.0.0.1:9",
  LOCAL_DATA_DIR: "/nowhere/data",
  LOG_LEVEL: "ERROR",
  NODE_USE_ENV_PROXY: "1",
  PORT: "8080",
  POWERTOOLS_LOG_LEVEL: "ERROR",
};

test("the tests run without a developer's settings", () => {
  const env = { ...OF_THE_SHELL, ...OF_THE_DEVELOPER };

  withoutDeveloperSettings(env);

  expect(env).toEqual({
    ...OF_THE_SHELL,
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: "true",
  });
  expect(process.env).toMatchObject({ AWS_CONFIG_FILE: devNull });
});

test("the end-to-end tests on a deployed stack keep the settings for AWS", () => {
  const env = { ...OF_THE_DEVELOPER, CONTRACT_BASE_URL: "https://api.example" };

  withoutDeveloperSettings(env);

  expect(env).toEqual({ ...OF_THE_DEVELOPER, CONTRACT_BASE_URL: "https://api.example" });
});
