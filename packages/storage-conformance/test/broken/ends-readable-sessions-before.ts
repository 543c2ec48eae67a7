import type { SessionStorage } from '@jwt-auth/core'
import { sampleUser } from '@jwt-auth/storage-conformance'

/** `endCreatedBefore` looks the sessions of a user up first. Rejects if one of them cannot be read. */
export const endsReadableSessionsBefore = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  endCreatedBefore: async (created, ending, options) => {
    for (const userId of [1, 'known user']) {
      const listed = await storage.list(sampleUser(userId), { activeAt: 0, limit: 10_000 }, options)
      for (const session of listed) if ('error' in session) throw session.error
    }
    return storage.endCreatedBefore(created, ending, options)
  },
})
