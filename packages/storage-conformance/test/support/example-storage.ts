import type { SessionStorage } from '@jwt-auth/core'

/** The client of your database. */
type ExampleClient = object

export const exampleStorage = (_client: ExampleClient): SessionStorage => ({
  create: async (_session, _options) => {},
  findByIds: async (_ids, _options) => [],
  findBySelectorHash: async (_selectorHash, _options) => undefined,
  rotate: async (_rotation, _options) => 'stale',
  end: async (_sessionId, _ending, _options) => ({ outcome: 'not-found' }),
  endAllForUser: async (_user, _ending, _options) => 0,
  list: async (_user, _list, _options) => [],
  endCreatedBefore: async (_created, _ending, _options) => 0,
  deleteExpired: async (_expiredBefore, _limit, _options) => 0,
})
