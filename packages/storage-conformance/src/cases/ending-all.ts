import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleSession, sampleSessions, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll, createMany, inParts } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }
const later = { endedAt: start + 99, endReason: 'another reason' }
const [one, two, three] = [fullSession(1), fullSession(2), fullSession(3)]
const ofAnother = fullSession(4, { userId: 2 })

/** The requirements of `endAllForUser`. */
export const endingAllCases = casesOf('ending all', [
  {
    title: 'endAllForUser ends and counts all sessions of the user, and changes no session of another user',
    run: async (storage) => {
      await createAll(storage, [one, two, three, ofAnother])
      assert.equal(await storage.endAllForUser(sampleUser(1), ending), 3)
      const ended = [one, two, three].map((session) => ({ ...session, ...ending }))
      await assertStored(storage, [one, two, three, ofAnother], [...ended, ofAnother])
    },
  },
  {
    title: 'endAllForUser counts only the sessions that it ended, and keeps the first time and reason of the others',
    run: async (storage) => {
      const ended = sampleSession(5, { endedAt: start, endReason: 'earlier' })
      await createAll(storage, [one, two, ended])
      await storage.end(two.id, ending)
      assert.equal(await storage.endAllForUser(sampleUser(1), later), 1)
      await assertStored(storage, [one, two, ended], [{ ...one, ...later }, { ...two, ...ending }, ended])
      assert.equal(await storage.endAllForUser(sampleUser(1), ending), 0)
      await assertStored(storage, [one, two, ended], [{ ...one, ...later }, { ...two, ...ending }, ended])
    },
  },
  {
    title: 'endAllForUser ends and counts expired sessions too',
    run: async (storage) => {
      const expired = sampleSession(5, { idleExpiresAt: start + 1, absoluteExpiresAt: start + 1 })
      await createAll(storage, [one, expired])
      assert.equal(await storage.endAllForUser(sampleUser(1), ending), 2)
      await assertStored(
        storage,
        [one, expired],
        [
          { ...one, ...ending },
          { ...expired, ...ending },
        ],
      )
    },
  },
  {
    title: 'endAllForUser resolves to 0 when the user has no session',
    run: async (storage) => {
      await storage.create(ofAnother)
      assert.equal(await storage.endAllForUser(sampleUser(1), ending), 0)
      await assertStored(storage, [ofAnother], [ofAnother])
    },
  },
  {
    title: 'endAllForUser ends 1,200 sessions of one user in one call',
    run: async (storage) => {
      const sessions = sampleSessions(1_200)
      await createMany(storage, sessions)
      assert.equal(await storage.endAllForUser(sampleUser(1), ending), sessions.length)
      for (const part of inParts(sessions, 100)) {
        await assertStored(
          storage,
          part,
          part.map((session) => ({ ...session, ...ending })),
        )
      }
    },
  },
])
