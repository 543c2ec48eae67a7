import assert from 'node:assert/strict'
import type { ConformanceCase } from '../conformance-case.js'
import { sampleSession, start } from '../sample-session.js'

export const listingAndDeletion: readonly ConformanceCase[] = [
  {
    title: "lists a user's live sessions, newest first",
    run: async (storage) => {
      const now = start + 1_000
      const sessions = [
        sampleSession(1),
        sampleSession(3),
        sampleSession(2),
        sampleSession(4, { userId: 2 }),
        sampleSession(5, { endedAt: start, endReason: 'revoked' }),
        sampleSession(6, { idleExpiresAt: now }),
        sampleSession(7, { absoluteExpiresAt: now }),
        sampleSession(8, { idleExpiresAt: now + 1, absoluteExpiresAt: now + 1 }),
      ]
      for (const session of sessions) await storage.create(session)
      const listed = await storage.listLive(1, now)
      assert.deepEqual(
        listed.map(({ id }) => id),
        [8, 3, 2, 1].map((number) => sampleSession(number).id),
      )
    },
  },
  {
    title: 'deletes sessions that were over at an instant, and no others',
    run: async (storage) => {
      const before = start + 500
      const over = [
        sampleSession(1, { endedAt: before, endReason: 'revoked' }),
        sampleSession(2, { idleExpiresAt: before }),
        sampleSession(3, { absoluteExpiresAt: before }),
      ]
      const kept = [
        sampleSession(4, { endedAt: before + 1, endReason: 'revoked' }),
        sampleSession(5, { idleExpiresAt: before + 1 }),
        sampleSession(6, { absoluteExpiresAt: before + 1 }),
        sampleSession(7),
      ]
      for (const session of [...over, ...kept]) await storage.create(session)
      assert.equal(await storage.deleteOver(before, 100), 3)
      const left = await storage.findByIds([...over, ...kept].map(({ id }) => id))
      assert.deepEqual(
        left.toSorted((a, b) => a.createdAt - b.createdAt),
        kept,
      )
    },
  },
  {
    title: 'deletes no more than the limit at a time, and frees the selector hash',
    run: async (storage) => {
      for (const number of [1, 2, 3]) await storage.create(sampleSession(number, { idleExpiresAt: start }))
      assert.equal(await storage.deleteOver(start, 2), 2)
      assert.equal(await storage.deleteOver(start, 2), 1)
      assert.equal(await storage.deleteOver(start, 2), 0)
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.findBySelectorHash(sampleSession(1).selectorHash), sampleSession(1))
    },
  },
]
