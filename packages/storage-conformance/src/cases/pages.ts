import assert from 'node:assert/strict'
import { requirementsOf } from '../conformance-case.js'
import { sampleRotation, sampleSessions, start } from '../sample-session.js'
import { createAll } from '../stored-sessions.js'

/** The requirements of `findPage`, which is optional. */
export const pageCases = requirementsOf('listing', {
  'findPage, if it exists, omits no session of any issuer, active, expired or ended, while others are rotated, ended and deleted':
    async (storage) => {
      if (storage.findPage === undefined) return
      const sessions = sampleSessions(400).map((session, position) => ({
        ...session,
        issuer: `https://${position % 2}.example.com`,
        ...(position % 3 === 0 && { endedAt: start, endReason: 'revoked' }),
        ...(position % 5 === 0 && { idleExpiresAt: 2 }),
      }))
      const deleted = sampleSessions(450).slice(400)
      await createAll(storage, [...sessions, ...deleted.map((each) => ({ ...each, absoluteExpiresAt: 1 }))], 50)
      const left = new Set(sessions.map(({ id }) => id))
      let after: string | undefined
      do {
        const page = await storage.findPage({ after, limit: 10 })
        for (const { id } of page.sessions) left.delete(id)
        const rotated = sessions.findLast(({ id }) => left.has(id)) ?? sessions[0]
        if (rotated !== undefined) await storage.rotate({ ...sampleRotation(rotated), idleExpiresAt: start - 1 })
        for (const { id } of page.sessions.slice(0, 3)) await storage.end({ id, endedAt: start, endReason: 'revoked' })
        await storage.deleteExpired({ before: 1, limit: 2 })
        after = page.next
      } while (after !== undefined)
      assert.deepEqual([...left], [])
    },
})
