import {
  attemptsAreBounded,
  deadOnlyAtTheEnd,
  deletedIsLeftAlone,
  eventsArrive,
  givingUpLeavesALetter,
  nothingIsParked,
  nothingOfTheErased,
  onlyToSubscribers,
  onlyWhatHappened,
  signedBySecret,
} from "./deliveries.ts";
import type { Invariant } from "./invariant.ts";
import {
  acknowledgedFires,
  eventsAreGapless,
  firingIsAcknowledged,
  frozenIsNotRead,
  lastStepHolds,
  oneLifeAtATime,
  onlyAsked,
} from "./lifecycle.ts";
import { allComesToRest, endpointsAreCounted, failsOnlyByFaults } from "./order.ts";
import { nothingRemains, organisationsAreApart, strangersAreRefused } from "./privacy.ts";
import {
  amendShowsItself,
  amendsHold,
  createdIsReadable,
  nothingIsWrittenTwice,
  platformStays,
  readsAgree,
  refusedIsNotSeen,
  versionsMoveForward,
} from "./records.ts";

/** What every story must keep. */
export const INVARIANTS: readonly Invariant[] = [
  failsOnlyByFaults,
  allComesToRest,
  createdIsReadable,
  readsAgree,
  refusedIsNotSeen,
  amendsHold,
  amendShowsItself,
  platformStays,
  nothingIsWrittenTwice,
  versionsMoveForward,
  eventsAreGapless,
  oneLifeAtATime,
  acknowledgedFires,
  firingIsAcknowledged,
  onlyAsked,
  lastStepHolds,
  frozenIsNotRead,
  eventsArrive,
  givingUpLeavesALetter,
  nothingIsParked,
  onlyWhatHappened,
  onlyToSubscribers,
  deletedIsLeftAlone,
  attemptsAreBounded,
  deadOnlyAtTheEnd,
  signedBySecret,
  nothingOfTheErased,
  nothingRemains,
  organisationsAreApart,
  strangersAreRefused,
  endpointsAreCounted,
];
