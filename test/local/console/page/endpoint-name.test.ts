import { expect, test } from "vitest";
import { endpointName } from "../../../../local/console/page/endpoint-name.ts";

test("endpoints with the same URL are distinguished by the ends of their ids", () => {
  const endpoints = [
    { key: "whe_01kb0000000000000000aaaaaa", url: "https://acme.example/hooks" },
    { key: "whe_01kb0000000000000000bbbbbb", url: "https://acme.example/hooks" },
    { key: "whe_01kb0000000000000000cccccc", url: "https://acme.example/other" },
  ];

  expect(endpoints.map((each) => endpointName(each, endpoints))).toEqual([
    "https://acme.example/hooks (…aaaaaa)",
    "https://acme.example/hooks (…bbbbbb)",
    "https://acme.example/other",
  ]);
});
