import { InvalidArgumentError } from "commander";

/** Parses the argument of an option as a path. A shell variable that is not set leaves an empty argument. */
export function parsePath(argument: string): string {
  if (argument === "") throw new InvalidArgumentError("Give the path of a file.");
  return argument;
}
