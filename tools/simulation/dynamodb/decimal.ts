import { ValidationException } from "./errors.ts";

/** Significant digits of a number (Amazon DynamoDB Developer Guide, "Supported data types", Number). */
const PRECISION = 38;
/** The power of ten of the first digit: from 1E-130 to 9.99…E+125 (the same page). */
const LEAST_MAGNITUDE = -130;
const GREATEST_MAGNITUDE = 125;

/** A number as DynamoDB keeps it: `coefficient` has no trailing zero, the value is coefficient · 10^exponent. */
interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

/** Integers of up to 15 digits: exact as JavaScript's numbers, and nearly all that the service stores. */
const SHORT_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/**
 * The one form of a number: plain digits, leading and trailing zeros trimmed.
 *
 * @throws ValidationException when it is no number, or has more than 38 digits, or is too large or too small
 */
export function canonicalNumber(text: string): string {
  return SHORT_INTEGER.test(text) ? text : format(parse(text));
}

/** Negative, zero or positive, as left is less than, equal to or greater than right; both canonical. */
export function compareNumbers(left: string, right: string): number {
  if (left === right) return 0;
  if (SHORT_INTEGER.test(left) && SHORT_INTEGER.test(right)) return Number(left) - Number(right);
  const { coefficient } = sum(parse(left), negated(parse(right)));
  return coefficient < 0n ? -1 : Number(coefficient > 0n);
}

/** @throws ValidationException when the exact sum has more than 38 digits, or is too large or too small */
export function addNumbers(left: string, right: string): string {
  return arithmetic(left, right, (a, b) => a + b, sum);
}

/** @throws ValidationException as `addNumbers` */
export function subtractNumbers(left: string, right: string): string {
  return arithmetic(
    left,
    right,
    (a, b) => a - b,
    (a, b) => sum(a, negated(b)),
  );
}

/** The number of significant digits of a canonical number; none of zero. */
export function significantDigits(canonical: string): number {
  const digits = canonical.replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "");
  return digits.length;
}

function arithmetic(
  left: string,
  right: string,
  short: (left: number, right: number) => number,
  exact: (left: Decimal, right: Decimal) => Decimal,
): string {
  if (SHORT_INTEGER.test(left) && SHORT_INTEGER.test(right))
    return String(short(Number(left), Number(right)));
  return format(checked(exact(parse(left), parse(right))));
}

function parse(text: string): Decimal {
  const [, sign, whole = "", fraction = "", power = "0"] = NUMBER.exec(text) ?? [];
  if (sign === undefined || whole + fraction === "") {
    throw new ValidationException(`A value provided cannot be converted into a number: ${text}`);
  }
  const coefficient = BigInt(whole + fraction);
  return checked(trimmed(sign === "-" ? -coefficient : coefficient, Number(power) - fraction.length));
}

function trimmed(coefficient: bigint, exponent: number): Decimal {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  const digits = String(coefficient);
  const zeros = digits.length - digits.replace(/0+$/, "").length;
  return { coefficient: BigInt(digits.slice(0, digits.length - zeros)), exponent: exponent + zeros };
}

function checked(decimal: Decimal): Decimal {
  if (decimal.coefficient === 0n) return decimal;
  const digits = digitsOf(decimal);
  const magnitude = digits.length - 1 + decimal.exponent;
  if (magnitude > GREATEST_MAGNITUDE) {
    throw new ValidationException(
      "Number overflow. Attempting to store a number with magnitude larger than supported range",
    );
  }
  if (magnitude < LEAST_MAGNITUDE) {
    throw new ValidationException(
      "Number underflow. Attempting to store a number with magnitude smaller than supported range",
    );
  }
  if (digits.length > PRECISION) {
    throw new ValidationException("Attempting to store more than 38 significant digits in a Number");
  }
  return decimal;
}

function sum(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = ({ coefficient, exponent: own }: Decimal) => coefficient * 10n ** BigInt(own - exponent);
  return trimmed(scaled(left) + scaled(right), exponent);
}

function negated({ coefficient, exponent }: Decimal): Decimal {
  return { coefficient: -coefficient, exponent };
}

function digitsOf({ coefficient }: Decimal): string {
  return String(coefficient < 0n ? -coefficient : coefficient);
}

function format(decimal: Decimal): string {
  const { coefficient, exponent } = decimal;
  if (coefficient === 0n) return "0";
  const sign = coefficient < 0n ? "-" : "";
  const digits = digitsOf(decimal);
  if (exponent >= 0) return `${sign}${digits}${"0".repeat(exponent)}`;
  const padded = digits.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
