import { onTestFinished, vi } from "vitest";

/** Sets the process's AWS settings for the test: credentials, a region, and where a service is, such as `LAMBDA`. */
export function inAwsAccount(service: string, url: string): void {
  vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, url);
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  onTestFinished(() => void vi.unstubAllEnvs());
}
