import type { SessionStorage } from '@jwt-auth/core'
import { batchContainsUndefinedForMissing } from './broken/batch-contains-undefined-for-missing.js'
import { batchIsNoPromise } from './broken/batch-is-no-promise.js'
import { batchLosesIdsWhenOneIsMissing } from './broken/batch-loses-ids-when-one-is-missing.js'
import { caseInsensitiveIds } from './broken/case-insensitive-ids.js'
import { clearsWithoutItsCondition } from './broken/clears-without-its-condition.js'
import { countsBeforeItEnds } from './broken/counts-before-it-ends.js'
import { createOverwrites } from './broken/create-overwrites.js'
import { deletionIgnoresItsCondition } from './broken/deletion-ignores-its-condition.js'
import { deletionWithoutLimit } from './broken/deletion-without-limit.js'
import { endAllOverwrites } from './broken/end-all-overwrites.js'
import { endsAllIssuersBefore } from './broken/ends-all-issuers-before.js'
import { failureReportedAsMissing } from './broken/failure-reported-as-missing.js'
import { firstEndOverwritten } from './broken/first-end-overwritten.js'
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
import { returnsItsOwnObjects } from './broken/returns-its-own-objects.js'
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

/** A mistake that adapters make, and the cases that catch it. */
export interface Mistake {
  /** Puts the mistake into a storage. */
  readonly breakStorage: (storage: SessionStorage) => SessionStorage
  /** Titles of the failed cases. For {@link mistakes}, other cases may fail too. */
  readonly caughtBy: readonly string[]
}

/** The mistakes that fail at least the given cases. */
export const mistakes: readonly Mistake[] = [
  {
    breakStorage: selectThenUpdateRotate,
    caughtBy: ['one of 64 concurrent rotate calls with the same expected verifier hash resolves to rotated'],
  },
  {
    breakStorage: selectThenUpdateEnd,
    caughtBy: [
      'one of 64 concurrent end calls resolves to ended, and the others to already-ended with its time and reason',
    ],
  },
  {
    breakStorage: selectThenDelete,
    caughtBy: ['a session is either rotated or deleted when rotate and deleteExpired run concurrently'],
  },
  {
    breakStorage: rotateAlwaysRotated,
    caughtBy: ['rotate resolves to stale and writes nothing when the verifier hash is not the expected one'],
  },
  { breakStorage: rotatesEndedSessions, caughtBy: ['rotate resolves to stale after end, and the session stays ended'] },
  {
    breakStorage: lateRotateUndoesAnEnd,
    caughtBy: ['a session stays ended when rotate and end run concurrently, in either order'],
  },
  {
    breakStorage: firstEndOverwritten,
    caughtBy: ['end resolves to already-ended with the first time and reason for later callers, and keeps both'],
  },
  {
    breakStorage: endAllOverwrites,
    caughtBy: [
      'endAllForUser counts only the sessions that it ended, and keeps the first time and reason of the others',
    ],
  },
  {
    breakStorage: countsBeforeItEnds,
    caughtBy: ['16 concurrent endAllForUser calls count each session once'],
  },
  {
    breakStorage: createOverwrites,
    caughtBy: ['create rejects a session whose id is taken, and keeps the first session'],
  },
  {
    breakStorage: deletionIgnoresItsCondition,
    caughtBy: ['deleteExpired keeps a session if a rotation has moved its idle expiry past the given instant'],
  },
  {
    breakStorage: deletionWithoutLimit,
    caughtBy: ['deleteExpired deletes at most the limit per call, and counts the deleted sessions'],
  },
  {
    breakStorage: clearsWithoutItsCondition,
    caughtBy: ['clearRecentVerifiers keeps the recent verifiers of a session that rotated again after the instant'],
  },
  {
    breakStorage: endsAllIssuersBefore,
    caughtBy: ['endCreatedBefore ends no session of another issuer'],
  },
  {
    breakStorage: listsExpiredSessions,
    caughtBy: ['list includes a session a millisecond before its idle expiry, and omits it at its idle expiry'],
  },
  {
    breakStorage: ignoresTheIssuer,
    caughtBy: [
      'list resolves to sessions of one issuer, and to none of the same user id of another issuer',
      'endAllForUser ends sessions of one issuer, and none of the same user id of another issuer',
    ],
  },
  {
    breakStorage: listsBeyondTheLimit,
    caughtBy: ['list resolves to the newest sessions when the user has more sessions than the limit'],
  },
  {
    breakStorage: listsOldestFirst,
    caughtBy: [
      'list sorts by createdAt, newest first, to the millisecond, regardless of the order of creation and use',
    ],
  },
  { breakStorage: batchIsNoPromise, caughtBy: ['findByIds returns a promise'] },
  { breakStorage: batchLosesIdsWhenOneIsMissing, caughtBy: ['findByIds omits ids that no session has'] },
  { breakStorage: batchContainsUndefinedForMissing, caughtBy: ['findByIds omits ids that no session has'] },
  {
    breakStorage: staleSnapshotReads,
    caughtBy: [
      'findByIds sees every write that resolved before the lookup started',
      'every lookup of one storage sees the writes of another that resolved before the lookup started',
    ],
  },
  {
    breakStorage: failureReportedAsMissing,
    caughtBy: [
      'findByIds rejects when the backend fails, and never omits the session',
      'findBySelectorHash rejects when the backend fails, and never resolves to undefined',
    ],
  },
  { breakStorage: returnsItsOwnObjects, caughtBy: ['findByIds resolves to copies'] },
  { breakStorage: keepsTheCallersObjects, caughtBy: ['create stores a copy of the session'] },
  { breakStorage: keepsTheRotationsList, caughtBy: ['rotate stores a copy of the recent verifiers'] },
  { breakStorage: roundsTimesToSeconds, caughtBy: ['every method keeps instants exact to the millisecond'] },
  {
    breakStorage: localTimeZoneShift,
    caughtBy: [
      'create keeps two instants with the same local time distinct when the clocks go back',
      'instants stay exact when the writing and the reading process have different time zones',
    ],
  },
  {
    breakStorage: caseInsensitiveIds,
    caughtBy: ['findByIds, rotate and end compare ids exactly, character by character'],
  },
  {
    breakStorage: trailingSpaceEquality,
    caughtBy: ['findByIds, rotate and end compare ids exactly, character by character'],
  },
  { breakStorage: normalizesText, caughtBy: ['every text field keeps composed and decomposed characters distinct'] },
  { breakStorage: truncatesLongText, caughtBy: ['every text field keeps its longest text'] },
  {
    breakStorage: mixesIntegerAndTextUserIds,
    caughtBy: ['list and endAllForUser distinguish the integer 1 from the text 1'],
  },
  {
    breakStorage: ignoresAnAbortedSignal,
    caughtBy: ['end rejects and ends nothing when its signal has already aborted'],
  },
  {
    breakStorage: writesInTwoSteps,
    caughtBy: ['rotate writes the whole rotation or nothing when its signal aborts during the call'],
  },
]
