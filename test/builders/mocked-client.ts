import { mockClient } from "aws-sdk-client-mock";
import { afterAll } from "vitest";

/** As `mockClient`, of a class of clients: the next test file of the worker has the class as it was. */
export const mockedClient: typeof mockClient = (client) => {
  const mock = mockClient(client);
  afterAll(() => mock.restore());
  return mock;
};
