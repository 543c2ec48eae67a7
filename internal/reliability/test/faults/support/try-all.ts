import type { Watch } from '../../../src/faults/watch.js'
import { type Grant, requireGrant } from '../../../src/history/operation-log.js'

/** Logs a user in. Throws when the login is not granted. */
export const logIn = async ({ recorder, endpoint }: Watch, userId: number): Promise<Grant> =>
  requireGrant(await recorder.logIn(endpoint, userId))

/**
 * Sends one request of each kind in turn. Returns the outcomes of a guarded request, validate,
 * refresh, login and revoke.
 */
export const tryAll = async ({ recorder, endpoint }: Watch, grant: Grant): Promise<readonly string[]> => [
  (await recorder.visit(endpoint, grant)).kind,
  (await recorder.validate(endpoint, grant)).kind,
  (await recorder.refresh(endpoint, grant)).outcome.kind,
  (await recorder.logIn(endpoint, grant.userId)).outcome.kind,
  (await recorder.revoke(endpoint, grant)).kind,
]

/** The outcomes while storage works. */
export const allSucceed = ['authenticated', 'authenticated', 'granted', 'granted', 'revoked']

/** The outcomes while storage can be read but not written. */
export const onlyReadsSucceed = ['authenticated', 'authenticated', 'failed', 'failed', 'failed']
