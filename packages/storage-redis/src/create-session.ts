import type { SessionRecord } from '@jwt-auth/core'
import {
  addEarliestScript,
  addLatestScript,
  addToUserScript,
  claimSelectorScript,
  freeSelectorScript,
  removeMemberScript,
} from './index-scripts.js'
import { RedisStorageError } from './redis-storage-error.js'
import type { RunScript } from './run-script.js'
import { toFields } from './session-fields.js'
import { type IndexedSession, readUserText, type SessionKeys, toExpiryMember, toUserText } from './session-keys.js'
import { createSessionScript } from './session-scripts.js'

const day = 86_400_000

/**
 * Stores a session after its indexes. The expiry key is first: through it `deleteExpired` cleans the others where a creation broke
 * off. Rejects with code `TAKEN`, and withdraws its entries, where the id or the selector hash is another session's.
 */
export const createSession = async (run: RunScript, keys: SessionKeys, session: SessionRecord): Promise<void> => {
  const backstop = String(session.absoluteExpiresAt + day)
  await run(addEarliestScript, keys.expiry(session.id), toExpiryMember(session), String(expiresAt(session)))
  const [claim] = await run(claimSelectorScript, keys.selector(session.selectorHash), session.id, backstop)
  if (claim !== 'claimed') {
    await run(removeMemberScript, keys.expiry(session.id), toExpiryMember(session))
    throw new RedisStorageError('create', 'TAKEN')
  }
  await run(addToUserScript, keys.user(session), session.id, String(session.createdAt), backstop)
  await run(addEarliestScript, keys.created(session), session.id, String(session.createdAt))
  if (session.recentVerifiers.length > 0) {
    await run(addLatestScript, keys.recent(session.id), session.id, String(session.rotatedAt))
  }
  const [outcome, heldSelectorHash = '', heldUser = ''] = await run(
    createSessionScript,
    keys.session(session.id),
    backstop,
    ...toFields(session),
  )
  if (outcome === 'created') return
  await removeForeignEntries(run, keys, session, { selectorHash: heldSelectorHash, user: heldUser })
  throw new RedisStorageError('create', 'TAKEN')
}

/** What the session that has an id holds: its selector hash, and the text of its user; both empty for a deleted session. */
export interface HeldSession {
  readonly selectorHash: string
  readonly user: string
}

/** Removes the index entries for a session whose id another session has; those that are the other's as well stay. */
export const removeForeignEntries = async (
  run: RunScript,
  keys: SessionKeys,
  session: IndexedSession,
  held: HeldSession,
): Promise<void> => {
  const isOfHeldUser = held.user === toUserText(session)
  const isHeldSelector = held.selectorHash === session.selectorHash
  const isOfHeldIssuer = held.user !== '' && readUserText(held.user).issuer === session.issuer
  if (!isOfHeldUser) await run(removeMemberScript, keys.user(session), session.id)
  if (!isOfHeldIssuer) await run(removeMemberScript, keys.created(session), session.id)
  if (!isHeldSelector) await run(freeSelectorScript, keys.selector(session.selectorHash), session.id)
  if (isOfHeldUser && isHeldSelector) return
  await run(removeMemberScript, keys.expiry(session.id), toExpiryMember(session))
}

/** The earliest instant from which the session is over. */
const expiresAt = ({ endedAt, idleExpiresAt, absoluteExpiresAt }: SessionRecord): number =>
  Math.min(endedAt ?? absoluteExpiresAt, idleExpiresAt, absoluteExpiresAt)
