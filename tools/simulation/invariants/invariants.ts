import { amendShowsItself, amendsHold, versionsAreMatched } from "./amends.ts";
import { assessmentsAreMerged, platformAssessmentsAreShown } from "./assessments.ts";
import {
  listsShowRecords,
  onceWithoutFaults,
  recordsListAttempts,
  recordsSayWhatIsNext,
  waitingIsForLongWaits,
} from "./attempts.ts";
import { firstRowIsCreated, resultsAreOfTheirRows } from "./batches.ts";
import { eventsArrive, feedsAreWhole } from "./deliveries.ts";
import { failuresAreCounted, failuresHaveConsequences, successesAreRecorded } from "./endpoint-failures.ts";
import { endpointsChangeAsAsked, versionsAnnounceChanges } from "./endpoints.ts";
import { acknowledgedFires, firingIsAcknowledged, onlyAsked } from "./event-causes.ts";
import {
  feedIsInOrder,
  feedIsWhole,
  feedItemsExpire,
  feedMissesNothing,
  feedSelects,
  recoveriesLeaveNothingOut,
} from "./feed.ts";
import {
  givingUpLeavesALetter,
  inactivityDropsNothingEarly,
  inactivityIsExplained,
  missedIsRemembered,
  stoppedForAReason,
} from "./inactivity.ts";
import type { Invariant } from "./invariant.ts";
import { cutOnce, newOnesStayAside, samplesStayAside, slowDoNotHoldUpOthers } from "./lanes.ts";
import {
  canonicalIdsAreOfPromoted,
  eventsAreGapless,
  frozenIsNotRead,
  lastStepHolds,
  oneCallChangesOneLife,
  oneLifeAtATime,
} from "./lifecycle.ts";
import { attemptsNameThemselves, errorsAreEnvelopes, samplesAreInvented } from "./messages.ts";
import { noNoticeAboutItself, noticesFireOnce } from "./notices.ts";
import { allComesToRest, endpointsAreCounted, failsOnlyByFaults } from "./order.ts";
import { cutsAreRecorded, paceFollowsResponses } from "./pace.ts";
import { nothingIsParked, parkedIsPublished, parkedOnce } from "./parked.ts";
import {
  deletedIsLeftAlone,
  eventsNameTheCanonicalId,
  nothingOfTheErased,
  onlyToSubscribers,
  onlyWhatHappened,
} from "./posts.ts";
import { nothingRemains, organisationsAreApart, strangersAreRefused, whatWaitsForgets } from "./privacy.ts";
import { nothingIsWrittenTwice, versionsMoveForward, writesAreOfOneStep } from "./record-writes.ts";
import {
  createdIsReadable,
  damageIsNotShown,
  platformStays,
  readsAgree,
  refusedIsNotSeen,
} from "./records.ts";
import {
  oneRecoveryAtATime,
  recoveriesFindTheirEvents,
  recoveriesKnowWhatWasMissed,
  recoveriesProceed,
} from "./recoveries.ts";
import { askedForIsPosted, resendsAreJudged } from "./requested-deliveries.ts";
import {
  createsAreReceipts,
  endpointsAreShownWhole,
  eventsAreSnapshots,
  platformGetsTheStanding,
  recordsAreOfOneVersion,
} from "./responses.ts";
import { attemptsAreBounded, deadOnlyAtTheEnd } from "./retry-schedule.ts";
import {
  newSecretSigns,
  previousSecretEnds,
  rotationsHold,
  secretsAreFoundByTheirKey,
  signedBySecret,
} from "./signing-secrets.ts";
import { rejectionsAreKept, standsWhereEventsLed, stepsTakeEffect } from "./statuses.ts";
import { tombstonesKeepNothingElse, tombstonesStay } from "./tombstones.ts";

/** What every story must keep. */
export const INVARIANTS: readonly Invariant[] = [
  failsOnlyByFaults,
  allComesToRest,
  createdIsReadable,
  resultsAreOfTheirRows,
  firstRowIsCreated,
  readsAgree,
  refusedIsNotSeen,
  amendsHold,
  amendShowsItself,
  versionsAreMatched,
  damageIsNotShown,
  platformStays,
  nothingIsWrittenTwice,
  versionsMoveForward,
  writesAreOfOneStep,
  assessmentsAreMerged,
  platformAssessmentsAreShown,
  rejectionsAreKept,
  eventsAreGapless,
  tombstonesStay,
  tombstonesKeepNothingElse,
  oneCallChangesOneLife,
  oneLifeAtATime,
  standsWhereEventsLed,
  stepsTakeEffect,
  acknowledgedFires,
  firingIsAcknowledged,
  onlyAsked,
  lastStepHolds,
  canonicalIdsAreOfPromoted,
  frozenIsNotRead,
  eventsArrive,
  feedMissesNothing,
  feedIsWhole,
  feedIsInOrder,
  feedItemsExpire,
  feedSelects,
  recoveriesLeaveNothingOut,
  recoveriesProceed,
  oneRecoveryAtATime,
  recoveriesFindTheirEvents,
  recoveriesKnowWhatWasMissed,
  feedsAreWhole,
  givingUpLeavesALetter,
  inactivityDropsNothingEarly,
  nothingIsParked,
  parkedOnce,
  parkedIsPublished,
  onlyWhatHappened,
  eventsNameTheCanonicalId,
  onlyToSubscribers,
  deletedIsLeftAlone,
  resendsAreJudged,
  askedForIsPosted,
  attemptsAreBounded,
  cutOnce,
  deadOnlyAtTheEnd,
  newOnesStayAside,
  samplesStayAside,
  signedBySecret,
  slowDoNotHoldUpOthers,
  previousSecretEnds,
  newSecretSigns,
  rotationsHold,
  stoppedForAReason,
  noticesFireOnce,
  noNoticeAboutItself,
  nothingOfTheErased,
  nothingRemains,
  whatWaitsForgets,
  organisationsAreApart,
  strangersAreRefused,
  endpointsAreCounted,
  cutsAreRecorded,
  endpointsChangeAsAsked,
  failuresAreCounted,
  failuresHaveConsequences,
  inactivityIsExplained,
  missedIsRemembered,
  paceFollowsResponses,
  secretsAreFoundByTheirKey,
  successesAreRecorded,
  versionsAnnounceChanges,
  createsAreReceipts,
  endpointsAreShownWhole,
  eventsAreSnapshots,
  platformGetsTheStanding,
  recordsAreOfOneVersion,
  listsShowRecords,
  onceWithoutFaults,
  recordsListAttempts,
  recordsSayWhatIsNext,
  waitingIsForLongWaits,
  errorsAreEnvelopes,
  attemptsNameThemselves,
  samplesAreInvented,
];
