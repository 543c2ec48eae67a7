import { cutsLargeBatches } from './broken/cuts-large-batches.js'
import { cutsLongLists } from './broken/cuts-long-lists.js'
import { cutsLongListsOfEndedSessions } from './broken/cuts-long-lists-of-ended-sessions.js'
import { endsIdsOfAnotherCase } from './broken/ends-ids-of-another-case.js'
import { endsReadableSessionsBefore } from './broken/ends-readable-sessions-before.js'
import { endsTheFirstThousand } from './broken/ends-the-first-thousand.js'
import { forgetsEndedSessions } from './broken/forgets-ended-sessions.js'
import { idleExpiryOnlyMovesForward } from './broken/idle-expiry-only-moves-forward.js'
import { keepsTheDriversError } from './broken/keeps-the-drivers-error.js'
import { leavesItsListeners } from './broken/leaves-its-listeners.js'
import { leavesListenersOfFailedCalls } from './broken/leaves-listeners-of-failed-calls.js'
import { limitsEachKindOfEnd } from './broken/limits-each-kind-of-end.js'
import { limitsEachPartOfAList } from './broken/limits-each-part-of-a-list.js'
import { listsDeletedSessions } from './broken/lists-deleted-sessions.js'
import { listsEndedSessionsByCreation } from './broken/lists-ended-sessions-by-creation.js'
import { listsEndedUnreadableSessions } from './broken/lists-ended-unreadable-sessions.js'
import { listsNoUnreadableSession } from './broken/lists-no-unreadable-session.js'
import { namesTheSessionThatFailed } from './broken/names-the-session-that-failed.js'
import { omitsUnreadableSessions } from './broken/omits-unreadable-sessions.js'
import { purgeStopsAtAnUnreadableSession } from './broken/purge-stops-at-an-unreadable-session.js'
import { readsAllBeforeItEnds } from './broken/reads-all-before-it-ends.js'
import { readsBeforeItEnds } from './broken/reads-before-it-ends.js'
import { reportsReadyWithoutItsMigration } from './broken/reports-ready-without-its-migration.js'
import { rollsBackBeforeItRejects } from './broken/rolls-back-before-it-rejects.js'
import { rotationTimesOnlyMoveForward } from './broken/rotation-times-only-move-forward.js'
import { sendsAfterItsDeadline } from './broken/sends-after-its-deadline.js'
import { sharesLookupsInFlight } from './broken/shares-lookups-in-flight.js'
import { statusRejectsInAnOutage } from './broken/status-rejects-in-an-outage.js'
import type { Mistake } from './mistakes.js'

/** The mistakes that fail only the given cases, in the order in which the cases run. */
export const subtleMistakes: readonly Mistake[] = [
  {
    breakStorage: sharesLookupsInFlight,
    caughtBy: [
      'every lookup sees an end that resolved before the lookup started, while earlier lookups of the session are in flight',
    ],
  },
  {
    breakStorage: cutsLargeBatches,
    caughtBy: ['findByIds finds every session in the largest batch that core sends, of 500 ids'],
  },
  {
    breakStorage: idleExpiryOnlyMovesForward,
    caughtBy: ['rotate moves the idle expiry back when the new idle expiry is earlier'],
  },
  {
    breakStorage: endsIdsOfAnotherCase,
    caughtBy: ['findByIds, rotate and end match no session when the id differs only in case'],
  },
  {
    breakStorage: limitsEachKindOfEnd,
    caughtBy: ['deleteExpired applies one limit to ended, idle-expired and absolutely expired sessions together'],
  },
  {
    breakStorage: reportsReadyWithoutItsMigration,
    caughtBy: [
      'status, if it exists, resolves to a result that agrees with its schema versions',
      'status, if it exists, resolves to unreachable when the backend fails, and never rejects',
    ],
  },
  {
    breakStorage: statusRejectsInAnOutage,
    caughtBy: ['status, if it exists, resolves to unreachable when the backend fails, and never rejects'],
  },
  {
    breakStorage: leavesItsListeners,
    caughtBy: [
      'no method leaves a listener on the signal of a settled call',
      'no method leaves a listener on the signal of a call that the backend fails',
    ],
  },
  {
    breakStorage: namesTheSessionThatFailed,
    caughtBy: [
      'no error contains a bound value when the signal has already aborted',
      'no error contains a bound value when the backend fails',
      'no error contains a bound value when the signal aborts while the call waits for the backend',
    ],
  },
  {
    breakStorage: keepsTheDriversError,
    caughtBy: [
      'no error contains a bound value when create rejects a duplicate',
      'no error contains a bound value when the signal has already aborted',
      'no error contains a bound value when the backend fails',
      'no error contains a bound value when the signal aborts while the call waits for the backend',
    ],
  },
  {
    breakStorage: sendsAfterItsDeadline,
    caughtBy: ['a call is never sent when its signal aborts while the call waits to be sent'],
  },
  {
    breakStorage: rollsBackBeforeItRejects,
    caughtBy: [
      'every method rejects when its signal aborts while the call waits for the backend, before the backend responds',
    ],
  },
  {
    breakStorage: endsReadableSessionsBefore,
    caughtBy: ['endCreatedBefore ends all sessions when one of them cannot be read, and that one too'],
  },
  {
    breakStorage: listsNoUnreadableSession,
    caughtBy: [
      'list resolves to the readable sessions, and to the id and the error of a session that cannot be read',
      'list with an instant omits an ended session that cannot be read, and list without one contains its id',
    ],
  },
  {
    breakStorage: listsEndedUnreadableSessions,
    caughtBy: ['list with an instant omits an ended session that cannot be read, and list without one contains its id'],
  },
  {
    breakStorage: omitsUnreadableSessions,
    caughtBy: [
      'findByIds resolves to the readable sessions, and to the ids and the errors of all sessions that cannot be read',
    ],
  },
  {
    breakStorage: purgeStopsAtAnUnreadableSession,
    caughtBy: ['deleteExpired and clearRecentVerifiers process all sessions when one of them cannot be read'],
  },
  {
    breakStorage: readsAllBeforeItEnds,
    caughtBy: ['endAllForUser ends all sessions of a user when one of them cannot be read, and that one too'],
  },
  {
    breakStorage: readsBeforeItEnds,
    caughtBy: ['end ends a session that cannot be read, and keeps its time and reason'],
  },
  {
    breakStorage: forgetsEndedSessions,
    caughtBy: ['list without an instant resolves to sessions that endAllForUser ended, of one user of one issuer only'],
  },
  {
    breakStorage: limitsEachPartOfAList,
    caughtBy: ['list without an instant applies its limit to all sessions together, and cuts the end of the list'],
  },
  {
    breakStorage: listsDeletedSessions,
    caughtBy: ['list without an instant resolves to ended and expired sessions until deleteExpired deletes them'],
  },
  {
    breakStorage: listsEndedSessionsByCreation,
    caughtBy: [
      'list without an instant resolves to the sessions that have not ended, newest first, then to the ended ones with their reasons, latest end first',
      'list without an instant applies its limit to all sessions together, and cuts the end of the list',
      'list without an instant resolves to ended and expired sessions until deleteExpired deletes them',
    ],
  },
  {
    breakStorage: cutsLongLists,
    caughtBy: ['list resolves to 1100 sessions, the most that core asks for, active or ended'],
  },
  {
    breakStorage: cutsLongListsOfEndedSessions,
    caughtBy: ['list resolves to 1100 sessions, the most that core asks for, active or ended'],
  },
  {
    breakStorage: endsTheFirstThousand,
    caughtBy: ['endAllForUser ends 1,200 sessions of one user in one call'],
  },
  {
    breakStorage: leavesListenersOfFailedCalls,
    caughtBy: ['no method leaves a listener on the signal of a call that the backend fails'],
  },
  {
    breakStorage: rotationTimesOnlyMoveForward,
    caughtBy: ['rotate moves rotatedAt and lastUsedAt back when the new values are earlier, because a clock is behind'],
  },
]
