import { expect, inject, test } from "vitest";
import { readAssembly } from "../../local/assembly.ts";
import { STACK } from "../../local/service/project.ts";
import { lambdaEnvironment } from "../../tools/bench/processes.ts";
import { REQUESTS } from "../../tools/bench/requests.ts";

test("a benchmark sets every environment variable of the functions that it starts", () => {
  const { functions } = readAssembly({
    directory: inject("assembly"),
    stackName: STACK,
    queuesEndpoint: "http://queues",
  });
  // Node has a default for the last one.
  const set = [...Object.keys(lambdaEnvironment("http://aws")), "UV_THREADPOOL_SIZE"];
  for (const name of Object.keys(REQUESTS)) {
    const started = functions.find((each) => each.name === `${STACK}-${name}`);
    expect(set, name).toEqual(expect.arrayContaining(Object.keys(started?.environment ?? { missing: "" })));
  }
});
