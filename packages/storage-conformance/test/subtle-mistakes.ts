import { cutsLargeBatches } from './broken/cuts-large-batches.js'
import { endsIdsOfAnotherCase } from './broken/ends-ids-of-another-case.js'
import { idleExpiryOnlyMovesForward } from './broken/idle-expiry-only-moves-forward.js'
import { keepsTheDriversError } from './broken/keeps-the-drivers-error.js'
import { leavesItsListeners } from './broken/leaves-its-listeners.js'
import { limitsEachKindOfEnd } from './broken/limits-each-kind-of-end.js'
import { namesTheSessionThatFailed } from './broken/names-the-session-that-failed.js'
import { rollsBackBeforeItRejects } from './broken/rolls-back-before-it-rejects.js'
import { saysReadyWithoutItsMigration } from './broken/says-ready-without-its-migration.js'
import { sendsAfterItsDeadline } from './broken/sends-after-its-deadline.js'
import { sharesLookupsInFlight } from './broken/shares-lookups-in-flight.js'
import { statusRejectsInAnOutage } from './broken/status-rejects-in-an-outage.js'
import type { Mistake } from './mistakes.js'

/** The mistakes that break the named cases and no others, in the order in which the cases run. */
export const subtleMistakes: readonly Mistake[] = [
  {
    breakStorage: sharesLookupsInFlight,
    caughtBy: [
      'shows an end to every lookup that starts after its answer, while earlier lookups of the session are in flight',
    ],
  },
  {
    breakStorage: cutsLargeBatches,
    caughtBy: ['finds each session of the largest batch that the service asks for, of 500 ids'],
  },
  {
    breakStorage: idleExpiryOnlyMovesForward,
    caughtBy: ['moves the idle expiry back where a rotation brings an earlier one'],
  },
  {
    breakStorage: endsIdsOfAnotherCase,
    caughtBy: ['finds, rotates and ends no session by an id that differs in case alone, where no session has that id'],
  },
  {
    breakStorage: limitsEachKindOfEnd,
    caughtBy: ['deletes no more than the limit of sessions that are over in different ways'],
  },
  {
    breakStorage: saysReadyWithoutItsMigration,
    caughtBy: [
      'resolves to a status that its versions explain, where it has a status',
      'resolves to the status of an unreachable storage where the backend fails, and never rejects',
    ],
  },
  {
    breakStorage: statusRejectsInAnOutage,
    caughtBy: ['resolves to the status of an unreachable storage where the backend fails, and never rejects'],
  },
  {
    breakStorage: leavesItsListeners,
    caughtBy: ['leaves no listener on the signal of a call that was answered or rejected'],
  },
  {
    breakStorage: namesTheSessionThatFailed,
    caughtBy: [
      'tells no bound value in the error of any call whose deadline is over',
      'tells no bound value in the error of any call that the backend fails',
      'tells no bound value in the error of any call whose deadline fires while it waits for the backend',
    ],
  },
  {
    breakStorage: keepsTheDriversError,
    caughtBy: [
      'tells no bound value in the error of a creation that it rejected',
      'tells no bound value in the error of any call whose deadline is over',
      'tells no bound value in the error of any call that the backend fails',
      'tells no bound value in the error of any call whose deadline fires while it waits for the backend',
    ],
  },
  {
    breakStorage: sendsAfterItsDeadline,
    caughtBy: ['sends nothing of a call whose deadline fires while it waits for its turn'],
  },
  {
    breakStorage: rollsBackBeforeItRejects,
    caughtBy: ['rejects every call whose deadline fires while it waits for the backend, before the backend answers'],
  },
]
