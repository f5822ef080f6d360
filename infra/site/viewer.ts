import scalar from "@scalar/fastify-api-reference";
import { fastify } from "fastify";

/**
 * The viewer of the reference, Scalar's build for browsers: one script, which sets `window.Scalar`. Of Scalar's
 * packages, its plugin for Fastify has it with the fewest dependencies, and hands it out as a response.
 */
export const viewer = await viewerOf("/reference");

async function viewerOf(routePrefix: `/${string}`): Promise<Buffer> {
  const server = fastify();
  await server.register(scalar, { routePrefix, configuration: { url: "/" } });
  const { statusCode, rawPayload } = await server.inject(`${routePrefix}/js/scalar.js`);
  if (statusCode !== 200) throw new Error("Scalar's plugin for Fastify has no viewer where it had one.");
  return rawPayload;
}
