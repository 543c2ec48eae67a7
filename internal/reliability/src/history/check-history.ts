import { everySession, type History, type Operation } from './operation.js'
import { findDeniedWithoutCause } from './rules/denied-without-cause.js'
import { findForeignAnswers } from './rules/foreign-answers.js'
import { findForks } from './rules/forks.js'
import type { HistorySettings } from './rules/history-settings.js'
import { findLetInAfterEnd } from './rules/let-in-after-end.js'
import { findMissingFinalReads } from './rules/missing-final-reads.js'
import { findOutlivedPasswords } from './rules/outlived-passwords.js'
import { findRevivedTokens } from './rules/replaced-tokens.js'
import { findSharedTokens } from './rules/shared-tokens.js'
import { findUnexpectedAnswers } from './rules/unexpected-answers.js'
import type { Violation } from './violation.js'

/**
 * Finds what a history of several clients at several instances shows to be broken. For each session:
 *
 * - no request that began after an acknowledged end was let in, on any instance, and the end was acknowledged to one only;
 * - its refresh tokens form one chain, and one that was replaced is good for its grace window only;
 * - what was acknowledged is there at the end: final reads are part of the history;
 * - each answer reached its own requester;
 * - no refresh was granted after the user's password was changed;
 * - nobody was turned away without a cause in the history that still held.
 *
 * And no token is of two sessions. A request that was lost or failed may have been carried out or not.
 */
export const checkHistory = (history: History, settings: HistorySettings): readonly Violation[] => [
  ...findSharedTokens(history),
  ...findUnexpectedAnswers(history),
  ...groupBySession(history).flatMap((operations) => checkSession(operations, settings)),
  ...findDeniedWithoutCause(history, settings),
]

/** The operations of each session, and with them those on every session of its user. */
const groupBySession = (history: History): readonly (readonly Operation[])[] => {
  const groups = new Map<string, Operation[]>()
  for (const operation of history) {
    const group = groups.get(operation.session)
    if (group === undefined) groups.set(operation.session, [operation])
    else group.push(operation)
  }
  const ofUsers = groups.get(everySession) ?? []
  groups.delete(everySession)
  return [...groups.values()].map((group) => [...group, ...ofUsers.filter(({ userId }) => userId === group[0]?.userId)])
}

const checkSession = (operations: readonly Operation[], settings: HistorySettings): readonly Violation[] => [
  ...findForeignAnswers(operations),
  ...findLetInAfterEnd(operations),
  ...findForks(operations),
  ...findRevivedTokens(operations, settings),
  ...findOutlivedPasswords(operations),
  ...findMissingFinalReads(operations),
]
