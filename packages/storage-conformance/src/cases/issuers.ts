import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }
const list = { activeAt: start, limit: 1_000 }
const { issuer, userId } = sampleUser(1)

// All issuers have the same user id. They differ in characters that a collation or the separator of a composite key may confuse.
const issuers = [
  issuer,
  `${issuer}/`,
  `${issuer} `,
  issuer.toUpperCase(),
  `${issuer}":1`,
  'é',
  'e\u0301',
  'x'.repeat(200),
]
const sessions = issuers.map((each, number) => fullSession(number, { issuer: each }))

/** The requirements for issuers that share a storage. */
export const issuerCases = casesOf('issuers', [
  {
    title: 'findByIds and findBySelectorHash resolve to the issuer unchanged',
    run: async (storage) => {
      await createAll(storage, sessions)
      await assertStored(storage, sessions, sessions)
      for (const session of sessions) {
        assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
      }
    },
  },
  {
    title: 'list resolves to sessions of one issuer, and to none of the same user id of another issuer',
    run: async (storage) => {
      await createAll(storage, sessions)
      for (const session of sessions) {
        assert.deepEqual(await storage.list({ issuer: session.issuer, userId }, list), [session])
      }
      assert.deepEqual(await storage.list({ issuer: 'another', userId }, list), [])
    },
  },
  {
    title: 'endAllForUser ends sessions of one issuer, and none of the same user id of another issuer',
    run: async (storage) => {
      await createAll(storage, sessions)
      assert.equal(await storage.endAllForUser({ issuer: 'another', userId }, ending), 0)
      for (const [place, session] of sessions.entries()) {
        assert.equal(await storage.endAllForUser({ issuer: session.issuer, userId }, ending), 1)
        const ended = sessions.slice(0, place + 1).map((each) => ({ ...each, ...ending }))
        await assertStored(storage, sessions, [...ended, ...sessions.slice(place + 1)])
      }
    },
  },
])
