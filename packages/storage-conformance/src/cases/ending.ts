import assert from 'node:assert/strict'
import type { ConformanceCase } from '../conformance-case.js'
import { sampleSession, start } from '../sample-session.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }
const later = { endedAt: start + 99, endReason: 'another reason' }

export const endingCases: readonly ConformanceCase[] = [
  {
    title: 'ends one session once; later callers hear the first time and reason',
    run: async (storage) => {
      const session = sampleSession(1)
      await storage.create(session)
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'ended' })
      assert.deepEqual(await storage.end(session.id, later), { outcome: 'already-ended', ...ending })
      assert.deepEqual(await storage.findByIds([session.id]), [{ ...session, ...ending }])
    },
  },
  {
    title: 'answers not-found for a session that is not there',
    run: async (storage) => {
      assert.deepEqual(await storage.end('missing', ending), { outcome: 'not-found' })
    },
  },
  {
    title: 'tells exactly one of 64 callers that it ended the session',
    run: async (storage) => {
      const session = sampleSession(1)
      await storage.create(session)
      const reasons = Array.from({ length: 64 }, (_, position) => `reason ${position}`)
      const outcomes = await Promise.all(
        reasons.map((endReason) => storage.end(session.id, { endedAt: start, endReason })),
      )
      const [found] = await storage.findByIds([session.id])
      assert.deepEqual(
        reasons.filter((_, position) => outcomes[position]?.outcome === 'ended'),
        [found?.endReason],
      )
    },
  },
  {
    title: "ends all of a user's sessions but one, says how many, and leaves other users alone",
    run: async (storage) => {
      const ended = sampleSession(3, { endedAt: start, endReason: 'earlier' })
      const ofAnother = sampleSession(4, { userId: 2 })
      for (const session of [sampleSession(1), sampleSession(2), ended, ofAnother, sampleSession(5)]) {
        await storage.create(session)
      }
      assert.equal(await storage.endAllOfUser(1, ending, { exceptSessionId: sampleSession(2).id }), 2)
      const ids = [1, 2, 3, 4, 5].map((number) => sampleSession(number).id)
      const found = await storage.findByIds(ids)
      assert.deepEqual(
        found.toSorted((a, b) => a.createdAt - b.createdAt),
        [{ ...sampleSession(1), ...ending }, sampleSession(2), ended, ofAnother, { ...sampleSession(5), ...ending }],
      )
      assert.equal(await storage.endAllOfUser(1, later), 1)
      assert.equal(await storage.endAllOfUser(1, later), 0)
    },
  },
  {
    title: 'keeps integer and text user ids apart',
    run: async (storage) => {
      const ofNumber = sampleSession(1, { userId: 1 })
      const ofText = sampleSession(2, { userId: '1' })
      await storage.create(ofNumber)
      await storage.create(ofText)
      assert.deepEqual(await storage.listLive(1, start), [ofNumber])
      assert.deepEqual(await storage.listLive('1', start), [ofText])
      assert.equal(await storage.endAllOfUser('1', ending), 1)
      assert.deepEqual(await storage.findByIds([ofNumber.id]), [ofNumber])
    },
  },
]
