const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

/** Sweden writes dates as ISO 8601 does. */
const calendar = new Intl.DateTimeFormat("sv-SE", { year: "numeric", month: "2-digit", day: "2-digit" });

/** A time in the time zone of the page, with its date unless that is today's. */
export function timeText(at: Date, now: Date): string {
  const date = calendar.format(at);
  return date === calendar.format(now) ? clock.format(at) : `${date} ${clock.format(at)}`;
}
