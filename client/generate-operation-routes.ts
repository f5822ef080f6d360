import { operations } from "../lib/contract/operations.ts";

const BANNER = "// Made from lib/contract/operations.ts by `npm run client`.\n";

/** The source of `client/src/operations.ts`: the route of each operation, without the schemas of its row. */
export function operationRoutes(): string {
  const routes = operations.map(
    ({ operationId, method, path, status }) =>
      `  ${operationId}: {\n    method: "${method}",\n    path: "${path}",\n    status: ${status},\n  },\n`,
  );
  return `${BANNER}
/** Every operation's method, path and status of success. */
export const operations = {
${routes.join("")}} as const;
`;
}
