import { expect, test } from "vitest";
import { isRecursiveLoop, LONGEST_CHAIN, lineageAfter } from "../../../local/lambda/recursive-loop.ts";

const A = "arn:aws:lambda:us-east-1:000000000000:function:a";
const B = "arn:aws:lambda:us-east-1:000000000000:function:b";

/** The trace header of the last of so many invocations, each caused by the one before. */
const chain = (length: number, functionArn: string) =>
  Array.from({ length }).reduce<string>((last) => `Root=1-0-0;${lineageAfter(functionArn, [last])}`, "");

test("A function's own chain is a loop after 16 invocations, and no other function's", () => {
  expect(isRecursiveLoop(A, chain(LONGEST_CHAIN - 1, A))).toBe(false);
  expect(isRecursiveLoop(A, chain(LONGEST_CHAIN, A))).toBe(true);
  expect(isRecursiveLoop(B, chain(LONGEST_CHAIN, A))).toBe(false);
  expect(isRecursiveLoop(A)).toBe(false);
});

test("An invocation with messages of several chains continues the longest of them, in whichever order", () => {
  const [long, short] = [chain(LONGEST_CHAIN - 1, A), chain(1, A)];

  for (const causes of [
    [long, short],
    [short, long],
    [short, long, chain(3, B)],
  ]) {
    expect(isRecursiveLoop(A, lineageAfter(B, causes))).toBe(false);
    expect(isRecursiveLoop(A, lineageAfter(A, causes))).toBe(true);
  }
});
