import { findOwnServers, isPresent, type Prerequisite } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { it } from 'vitest'
import type { Watch } from '../../../src/faults/watch.js'
import { type Grant, requireGrant } from '../../../src/history/operation-log.js'

/**
 * Returns one kind of server that is present: a test on all stages runs when at least one server
 * can be started.
 */
export const findAnyServer = async (): Promise<Prerequisite> => {
  const kinds = findOwnServers()
  return kinds.find(isPresent) ?? { name: 'a database server', missing: kinds[0]?.missing }
}

/**
 * Declares a skipped suite for each kind of server that is missing, so that the summary of the run
 * names it.
 */
export const declareMissingServers = async (): Promise<void> => {
  const missing = findOwnServers().filter((kind) => !isPresent(kind))
  describeEach(missing, 'the tests of this file on $name', () => {
    it('need the programs of the server', () => {})
  })
}

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
