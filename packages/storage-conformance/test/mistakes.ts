import type { SessionStorage } from '@jwt-auth/core'
import { batchAnswersUndefinedForMissing } from './broken/batch-answers-undefined-for-missing.js'
import { batchLosesIdsWhenOneIsMissing } from './broken/batch-loses-ids-when-one-is-missing.js'
import { caseInsensitiveIds } from './broken/case-insensitive-ids.js'
import { clearsWithoutItsCondition } from './broken/clears-without-its-condition.js'
import { countsBeforeItEnds } from './broken/counts-before-it-ends.js'
import { createOverwrites } from './broken/create-overwrites.js'
import { deletionIgnoresItsCondition } from './broken/deletion-ignores-its-condition.js'
import { deletionWithoutLimit } from './broken/deletion-without-limit.js'
import { endAllOverwrites } from './broken/end-all-overwrites.js'
import { endsAllIssuersBefore } from './broken/ends-all-issuers-before.js'
import { failureAnsweredAsMissing } from './broken/failure-answered-as-missing.js'
import { firstEndOverwritten } from './broken/first-end-overwritten.js'
import { handsOutItsOwnObjects } from './broken/hands-out-its-own-objects.js'
import { ignoresAnAbortedSignal } from './broken/ignores-an-aborted-signal.js'
import { ignoresTheIssuer } from './broken/ignores-the-issuer.js'
import { keepsTheCallersObjects } from './broken/keeps-the-callers-objects.js'
import { keepsTheRotationsList } from './broken/keeps-the-rotations-list.js'
import { lateRotateUndoesAnEnd } from './broken/late-rotate-undoes-an-end.js'
import { listsBeyondTheLimit } from './broken/lists-beyond-the-limit.js'
import { listsExpiredSessions } from './broken/lists-expired-sessions.js'
import { listsOldestFirst } from './broken/lists-oldest-first.js'
import { localTimeZoneShift } from './broken/local-time-zone-shift.js'
import { mixesIntegerAndTextUserIds } from './broken/mixes-integer-and-text-user-ids.js'
import { normalizesText } from './broken/normalizes-text.js'
import { rotateAlwaysRotated } from './broken/rotate-always-rotated.js'
import { rotatesEndedSessions } from './broken/rotates-ended-sessions.js'
import { roundsTimesToSeconds } from './broken/rounds-times-to-seconds.js'
import { selectThenDelete } from './broken/select-then-delete.js'
import { selectThenUpdateEnd } from './broken/select-then-update-end.js'
import { selectThenUpdateRotate } from './broken/select-then-update-rotate.js'
import { staleSnapshotReads } from './broken/stale-snapshot-reads.js'
import { trailingSpaceEquality } from './broken/trailing-space-equality.js'
import { truncatesLongText } from './broken/truncates-long-text.js'
import { writesInTwoSteps } from './broken/writes-in-two-steps.js'

/** A mistake that adapters make. */
export interface Mistake {
  /** Puts the mistake into a storage. */
  readonly breakStorage: (storage: SessionStorage) => SessionStorage
  /** Titles of cases that it breaks; in {@link mistakes}, beside any others. */
  readonly caughtBy: readonly string[]
}

/** The mistakes that adapters make, and the promises that they break. */
export const mistakes: readonly Mistake[] = [
  { breakStorage: selectThenUpdateRotate, caughtBy: ['lets one of 64 rotations from the same verifier win'] },
  {
    breakStorage: selectThenUpdateEnd,
    caughtBy: ['tells exactly one of 64 callers that it ended the session, and the others its time and reason'],
  },
  { breakStorage: selectThenDelete, caughtBy: ['deletes a session or rotates it out of reach, and never both'] },
  {
    breakStorage: rotateAlwaysRotated,
    caughtBy: ['answers stale and writes nothing where the verifier hash is another one'],
  },
  { breakStorage: rotatesEndedSessions, caughtBy: ['answers stale after the session was ended, and the end stands'] },
  {
    breakStorage: lateRotateUndoesAnEnd,
    caughtBy: ['leaves a session ended, by whichever order a rotation and an end meet'],
  },
  { breakStorage: firstEndOverwritten, caughtBy: ['tells later callers the first time and reason, which stand'] },
  {
    breakStorage: endAllOverwrites,
    caughtBy: ['counts only the sessions that it ended itself, and keeps the first time and reason of the others'],
  },
  {
    breakStorage: countsBeforeItEnds,
    caughtBy: ["counts each session once among 16 callers who end all of a user's sessions"],
  },
  { breakStorage: createOverwrites, caughtBy: ['rejects a second session with the same id, and keeps the first'] },
  {
    breakStorage: deletionIgnoresItsCondition,
    caughtBy: ['keeps a session whose idle expiry a rotation moved past the instant'],
  },
  { breakStorage: deletionWithoutLimit, caughtBy: ['deletes no more than the limit at a time, and says how many'] },
  {
    breakStorage: clearsWithoutItsCondition,
    caughtBy: ['keeps the recent verifiers of a session that rotated again since'],
  },
  {
    breakStorage: endsAllIssuersBefore,
    caughtBy: ['ends no session of another issuer that was created before the instant'],
  },
  {
    breakStorage: listsExpiredSessions,
    caughtBy: ['lists a session up to the last millisecond before its idle expiry, and not at it'],
  },
  {
    breakStorage: ignoresTheIssuer,
    caughtBy: [
      'lists the sessions of a user of one issuer, and none of the same user id of another issuer',
      'ends all sessions of a user of one issuer, and none of the same user id of another issuer',
    ],
  },
  { breakStorage: listsBeyondTheLimit, caughtBy: ['lists no more than the limit, the newest of them'] },
  {
    breakStorage: listsOldestFirst,
    caughtBy: ['lists the newest createdAt first, to the millisecond, whatever the order of creation and use'],
  },
  { breakStorage: batchLosesIdsWhenOneIsMissing, caughtBy: ['leaves missing ids out of the answer'] },
  { breakStorage: batchAnswersUndefinedForMissing, caughtBy: ['leaves missing ids out of the answer'] },
  {
    breakStorage: staleSnapshotReads,
    caughtBy: [
      'shows what was written to every batch lookup that starts after the write was answered',
      'shows what one storage wrote to every lookup of another that starts after the answer',
    ],
  },
  {
    breakStorage: failureAnsweredAsMissing,
    caughtBy: [
      'rejects a batch lookup that the backend fails, and never calls it missing',
      'rejects a selector lookup that the backend fails, and never calls it missing',
    ],
  },
  { breakStorage: handsOutItsOwnObjects, caughtBy: ['hands out copies from a batch lookup'] },
  { breakStorage: keepsTheCallersObjects, caughtBy: ['keeps a copy of a session that is created'] },
  { breakStorage: keepsTheRotationsList, caughtBy: ["keeps a copy of a rotation's recent verifiers"] },
  { breakStorage: roundsTimesToSeconds, caughtBy: ['keeps instants to the millisecond'] },
  {
    breakStorage: localTimeZoneShift,
    caughtBy: [
      'keeps the two hours apart that have one local time when the clocks go back',
      'keeps instants when the time zone of the process that reads is another than that of the one that wrote',
    ],
  },
  { breakStorage: caseInsensitiveIds, caughtBy: ['compares ids letter by letter'] },
  { breakStorage: trailingSpaceEquality, caughtBy: ['compares ids letter by letter'] },
  { breakStorage: normalizesText, caughtBy: ['keeps composed and decomposed letters apart, and joins none'] },
  { breakStorage: truncatesLongText, caughtBy: ['keeps the longest text of every field'] },
  { breakStorage: mixesIntegerAndTextUserIds, caughtBy: ['keeps the integer 1 and the text 1 apart'] },
  { breakStorage: ignoresAnAbortedSignal, caughtBy: ['rejects an end whose deadline is over, and ends nothing'] },
  { breakStorage: writesInTwoSteps, caughtBy: ['rotates whole or not at all when the deadline fires on the way'] },
]
