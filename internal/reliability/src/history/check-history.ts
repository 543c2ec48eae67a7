import { everySession, type History, type HistorySettings, type Operation, type Violation } from './operation.js'
import { findDeniedWithoutCause, findOutlivedPasswords, findUseAfterEnd } from './rules/ends.js'
import { findForeignResponses, findMissingFinalReads, findUnexpectedResponses } from './rules/responses.js'
import { findForks } from './rules/token-chain.js'
import { findRevivedTokens, findSharedTokens } from './rules/token-use.js'

/**
 * Finds the promises that a history of several clients at several instances breaks. For each
 * session:
 *
 * - No request that started after an acknowledged end was authenticated, on any instance. Only one
 *   revocation ended the session.
 * - Its refresh tokens form one chain, and a replaced token is valid for its grace window only.
 * - Nothing acknowledged is missing at the end. The final reads are part of the history.
 * - Each response is about the session of its requester.
 * - No refresh was granted after the user's password was changed.
 * - Every refusal has a cause in the history that still held.
 *
 * No two sessions share a token. A request that failed or was lost may have taken place or not.
 */
export const checkHistory = (history: History, settings: HistorySettings): readonly Violation[] => [
  ...findSharedTokens(history),
  ...findUnexpectedResponses(history),
  ...groupBySession(history).flatMap((operations) => checkSession(operations, settings)),
  ...findDeniedWithoutCause(history, settings),
]

/**
 * Groups the operations by session. Each group includes the operations on all sessions of its user.
 */
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
  ...findForeignResponses(operations),
  ...findUseAfterEnd(operations),
  ...findForks(operations),
  ...findRevivedTokens(operations, settings),
  ...findOutlivedPasswords(operations),
  ...findMissingFinalReads(operations),
]
