import { getClaims } from './access-token.js'
import { auth, requestJson, sessionEnded } from './auth.js'
import { show } from './dom.js'

/** @typedef {import('../../../packages/core/src/session/end-reason.js').EndReason} EndReason */

/**
 * Why a session ended: the reasons of jwt-auth, and those of this site.
 *
 * @type {Record<EndReason | 'password_changed' | 'account_deleted', string>}
 */
const reasons = {
  expired: 'it was not used for too long.',
  revoked: 'somebody signed out or ended the session in a list of devices.',
  revoked_all: 'all sessions of the user were ended.',
  issued_before: 'all older sessions were ended.',
  refresh_token_replayed: 'an old refresh token was used. Somebody may have a copy of it.',
  refresh_token_repeated: 'a replaced refresh token was used from another network. Somebody may have a copy of it.',
  password_changed: 'the password was changed.',
  credentials_changed: 'the password was changed.',
  account_deleted: 'the account was deleted.',
  user_unavailable: 'the user was deleted or disabled.',
  login_failed: 'the sign-in did not finish.',
  session_limit: 'the user has too many sessions, and this one was not used for the longest time.',
}
const texts = new Map(Object.entries(reasons))

/**
 * Asks the server why a session of the user ended.
 *
 * @param {string} id
 * @returns {Promise<{ readonly code: string, readonly text: string } | undefined>} `undefined` for an active session
 */
export const findReason = async (id) => {
  const { end_reason } = await requestJson(`api/sessions/${id}`)
  if (end_reason === null) return undefined
  return { code: end_reason, text: texts.get(end_reason) ?? `its reason is ${end_reason}.` }
}

const key = 'host-app last session'

/** Remembers the session of this browser, to tell its user later why it ended. */
export const rememberSession = () => {
  const id = getClaims()?.sid
  if (id !== undefined) localStorage.setItem(key, id)
}

/** Forgets the session, because its user ended it on this page. */
export const forgetSession = () => localStorage.removeItem(key)

/** Says that the last session ended, if its user did not end it here. */
export const announceEnd = () => {
  if (localStorage.getItem(key) !== null) show(sessionEnded, 'failure')
}

// A sign-out in another tab may arrive before its change of the storage.
addEventListener('storage', ({ key: changed, newValue }) => {
  if (changed === key && newValue === null && auth.getSnapshot().status === 'unauthenticated') show('')
})

/** Shows why the last session ended, after its user signed in again. */
export const explainLastSession = async () => {
  const last = localStorage.getItem(key)
  if (last === null || last === getClaims()?.sid) return
  // Another user has signed in: the session is not found.
  const reason = await findReason(last).catch(() => undefined)
  if (reason !== undefined) show(`Your last session ended (${reason.code}): ${reason.text}`, 'failure')
}
