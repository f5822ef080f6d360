/**
 * Excludes this machine from the proxy in an environment, beside what NO_PROXY excludes already. With
 * NODE_USE_ENV_PROXY, Node's fetch would ask the proxy for servers on loopback, too. It reads the variable before each
 * request.
 *
 * @param hosts by which such servers are called, as in a URL
 */
export function reachLoopbackDirectly(
  env: NodeJS.ProcessEnv,
  hosts: readonly string[] = ["127.0.0.1", "localhost"],
): void {
  const excluded = env["no_proxy"] || env["NO_PROXY"] || "";
  const all = [...excluded.split(",").filter((host) => host !== ""), ...hosts];
  // Programs differ in which one they read first.
  env["no_proxy"] = env["NO_PROXY"] = all.join(",");
}
