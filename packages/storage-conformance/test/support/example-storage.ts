import type { SessionStorage } from '@jwt-auth/core'

/** The client of your database. */
type ExampleClient = object

export const exampleStorage = (_client: ExampleClient): SessionStorage => ({
  create: async (_session, _options) => {},
  findByIds: async (_ids, _options) => [],
  findBySelectorHash: async (_selectorHash, _options) => undefined,
  rotate: async (_rotation, _options) => 'stale',
  end: async (_end, _options) => ({ outcome: 'not-found' }),
  endAllForUser: async (_end, _options) => 0,
  list: async (_filter, _options) => [],
  endCreatedBefore: async (_created, _options) => 0,
  deleteExpired: async (_expired, _options) => 0,
})
