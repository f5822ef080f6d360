import { expect, test } from "vitest";
import { checkRetention } from "../../infra/backups.ts";
import { environments } from "../../infra/environments.ts";

test("the tombstone of an erased candidate is kept longer than every backup", () => {
  for (const { backups } of environments) {
    if (backups) expect(() => checkRetention(backups)).not.toThrow();
  }
  expect(() => checkRetention({ dailyDays: 3, monthlyDays: 99 })).not.toThrow();
  expect(() => checkRetention({ dailyDays: 3, monthlyDays: 100 })).toThrow(/less than 100 days/);
  expect(() => checkRetention({ dailyDays: 100, monthlyDays: 90 })).toThrow(/less than 100 days/);
});
