import type { SessionRecord } from '@jwt-auth/core/adapter'
import { toEndOrExpiry } from '@jwt-auth/core/internal'
import { addToUserScript, claimSelectorScript, freeSelectorScript } from './index-scripts.js'
import { findUserInText, type IndexedSession, toExpiryMember, toFields, toUserText } from './session-fields.js'
import type { SessionStore } from './session-keys.js'
import { createSessionScript, toBackstop } from './session-scripts.js'
import { takenError } from './storage-error.js'

/**
 * Stores a session after its index entries. The entry in the expiry key is first: through it,
 * `deleteExpired` removes the other entries of an interrupted creation. Rejects with the code
 * `TAKEN` when another session has the id or the selector hash, and removes the entries that it
 * added.
 */
export const createSession = async (store: SessionStore, session: SessionRecord): Promise<void> => {
  const { run, runCommand, keys } = store
  const backstop = toBackstop(session.absoluteExpiresAt)
  await runCommand('ZADD', keys.expiry(session.id), 'LT', String(toEndOrExpiry(session)), toExpiryMember(session))
  const [claim] = await run(claimSelectorScript, keys.selector(session.selectorHash), session.id, backstop)
  if (claim !== 'claimed') {
    await runCommand('ZREM', keys.expiry(session.id), toExpiryMember(session))
    throw takenError()
  }
  await (session.endedAt === null
    ? run(addToUserScript, keys.user(session), 'NX', session.id, String(session.createdAt), backstop)
    : run(addToUserScript, keys.ended(session), 'GT', session.id, String(session.endedAt), backstop))
  await runCommand('ZADD', keys.created(session), 'LT', String(session.createdAt), session.id)
  const key = keys.session(session.id)
  const [outcome, selectorHash = '', user = ''] = await run(createSessionScript, key, backstop, ...toFields(session))
  if (outcome === 'created') return
  await removeForeignEntries(store, session, { selectorHash, user })
  throw takenError()
}

/**
 * Removes the index entries of a session whose id belongs to another session. Entries that the
 * other session shares stay.
 */
export const removeForeignEntries = async (
  { run, runCommand, keys }: SessionStore,
  session: IndexedSession,
  held: { readonly selectorHash: string; readonly user: string },
): Promise<void> => {
  const heldUser = findUserInText(held.user)
  // If the user of the other session cannot be read, it may be the same user. The entries then
  // stay: without them, the other session could not be ended.
  const isUnreadable = heldUser === undefined && held.user !== ''
  const isOfHeldUser = isUnreadable || held.user === toUserText(session)
  const isHeldSelector = held.selectorHash === session.selectorHash
  const isOfHeldIssuer = isUnreadable || heldUser?.issuer === session.issuer
  if (!isOfHeldUser) {
    await runCommand('ZREM', keys.user(session), session.id)
    await runCommand('ZREM', keys.ended(session), session.id)
  }
  if (!isOfHeldIssuer) await runCommand('ZREM', keys.created(session), session.id)
  if (!isHeldSelector) await run(freeSelectorScript, keys.selector(session.selectorHash), session.id)
  if (isOfHeldUser && isHeldSelector) return
  await runCommand('ZREM', keys.expiry(session.id), toExpiryMember(session))
}
