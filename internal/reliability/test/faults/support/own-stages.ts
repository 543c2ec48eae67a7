import { findOwnServers, isPresent, type Prerequisite } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { it } from 'vitest'

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
