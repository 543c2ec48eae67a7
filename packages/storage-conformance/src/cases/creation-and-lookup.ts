import assert from 'node:assert/strict'
import type { ConformanceCase } from '../conformance-case.js'
import { sampleSession, start } from '../sample-session.js'

const fullSession = sampleSession(1, {
  userId: 'ünïcödé 🙂 "quoted" \\',
  recentVerifiers: [
    { verifierHash: 'recent-2', salt: 'salt-2', replacedAt: start - 1 },
    { verifierHash: 'recent-1', salt: 'salt-1', replacedAt: start - 2 },
  ],
  endedAt: start + 7,
  endReason: 'revoked',
  credentialVersion: 'version 1',
  userAgent: 'Mozilla/5.0 (日本語; 🙂)',
  ipAddress: '2001:db8::1',
  label: "Jane's laptop \\ %_'",
})

export const creationAndLookup: readonly ConformanceCase[] = [
  {
    title: 'gives every field of a session back as it was, to the millisecond and the letter',
    run: async (storage) => {
      await storage.create(fullSession)
      assert.deepEqual(await storage.findByIds([fullSession.id]), [fullSession])
      assert.deepEqual(await storage.findBySelectorHash(fullSession.selectorHash), fullSession)
    },
  },
  {
    title: 'gives null back for every field that may be null',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.findByIds([sampleSession(1).id]), [sampleSession(1)])
    },
  },
  {
    title: 'finds a batch, leaves missing ids out, and answers an empty list with an empty list',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      await storage.create(sampleSession(2))
      const found = await storage.findByIds([sampleSession(2).id, 'missing', sampleSession(1).id])
      assert.deepEqual(
        found.toSorted((a, b) => a.createdAt - b.createdAt),
        [sampleSession(1), sampleSession(2)],
      )
      assert.deepEqual(await storage.findByIds(['missing']), [])
      assert.deepEqual(await storage.findByIds([]), [])
    },
  },
  {
    title: 'answers undefined for a selector hash nobody has',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.equal(await storage.findBySelectorHash(sampleSession(2).selectorHash), undefined)
    },
  },
  {
    title: 'compares ids and selector hashes letter by letter',
    run: async (storage) => {
      const session = sampleSession(1, { id: 'CaseSensitive', selectorHash: 'SelectorHash' })
      await storage.create(session)
      await storage.create(sampleSession(2, { id: 'casesensitive', selectorHash: 'selectorhash' }))
      assert.deepEqual(await storage.findByIds([session.id]), [session])
      assert.deepEqual(await storage.findByIds([`${session.id} `]), [])
      assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
      assert.equal(await storage.findBySelectorHash(`${session.selectorHash} `), undefined)
    },
  },
  {
    title: 'rejects a second session with the same id or the same selector hash, and keeps the first',
    run: async (storage) => {
      const { id, selectorHash } = sampleSession(1)
      await storage.create(sampleSession(1))
      await assert.rejects(storage.create(sampleSession(2, { id })))
      await assert.rejects(storage.create(sampleSession(3, { selectorHash })))
      assert.deepEqual(await storage.findByIds([id, sampleSession(3).id]), [sampleSession(1)])
    },
  },
  {
    title: 'hands out copies and keeps copies',
    run: async (storage) => {
      const recent = { verifierHash: 'recent', salt: 'salt', replacedAt: start }
      const given = { ...sampleSession(1), recentVerifiers: [recent] }
      const asGiven = structuredClone(given)
      await storage.create(given)
      given.label = 'changed'
      recent.salt = 'changed'
      const [found] = await storage.findByIds([given.id])
      assert.deepEqual(found, asGiven)
      Object.assign(found, { label: 'changed' })
      Object.assign(found.recentVerifiers[0] ?? {}, { salt: 'changed' })
      assert.deepEqual(await storage.findByIds([given.id]), [asGiven])
    },
  },
]
