const LONGEST_DAYS = 100;

/** A number of seconds in readable form. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole > LONGEST_DAYS * 86_400) return `more than ${LONGEST_DAYS} days`;
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
