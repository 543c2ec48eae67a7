import assert from 'node:assert/strict'
import type { Rotation } from '@jwt-auth/core'
import type { ConformanceCase } from '../conformance-case.js'
import { sampleSession, start } from '../sample-session.js'

const session = sampleSession(1, { credentialVersion: '1' })

const rotationTo = (verifierHash: string): Rotation => ({
  sessionId: session.id,
  expectedVerifierHash: session.verifierHash,
  verifierHash,
  recentVerifiers: [{ verifierHash: session.verifierHash, salt: 'salt', replacedAt: start + 5 }],
  rotatedAt: start + 5,
  lastUsedAt: start + 6,
  idleExpiresAt: start + 7,
  credentialVersion: '2',
})

export const rotationCases: readonly ConformanceCase[] = [
  {
    title: 'rotates where the verifier hash is the expected one, and writes the refresh state and nothing else',
    run: async (storage) => {
      await storage.create(session)
      await storage.create(sampleSession(2))
      const { sessionId, expectedVerifierHash, ...next } = rotationTo('next')
      assert.equal(await storage.rotate(rotationTo('next')), 'rotated')
      assert.deepEqual(await storage.findByIds([sessionId]), [{ ...session, ...next }])
      assert.deepEqual(await storage.findByIds([sampleSession(2).id]), [sampleSession(2)])
    },
  },
  {
    title: 'leaves the credential version as it is when a rotation brings none',
    run: async (storage) => {
      await storage.create(session)
      const { credentialVersion: _, ...rotation } = rotationTo('next')
      assert.equal(await storage.rotate(rotation), 'rotated')
      const [found] = await storage.findByIds([session.id])
      assert.equal(found?.credentialVersion, session.credentialVersion)
    },
  },
  {
    title: 'answers stale and writes nothing where the verifier hash is another one',
    run: async (storage) => {
      await storage.create({ ...session, verifierHash: 'another' })
      assert.equal(await storage.rotate(rotationTo('next')), 'stale')
      assert.deepEqual(await storage.findByIds([session.id]), [{ ...session, verifierHash: 'another' }])
    },
  },
  {
    title: 'answers stale for a session that is not there',
    run: async (storage) => {
      assert.equal(await storage.rotate(rotationTo('next')), 'stale')
      assert.deepEqual(await storage.findByIds([session.id]), [])
    },
  },
  {
    title: 'answers stale for a session that has ended, and the end stands',
    run: async (storage) => {
      const ended = { ...session, endedAt: start + 1, endReason: 'revoked' }
      await storage.create(ended)
      assert.equal(await storage.rotate(rotationTo('next')), 'stale')
      assert.deepEqual(await storage.findByIds([session.id]), [ended])
    },
  },
  {
    title: 'lets one of 64 rotations from the same verifier win',
    run: async (storage) => {
      await storage.create(session)
      const names = Array.from({ length: 64 }, (_, position) => `next-${position}`)
      const outcomes = await Promise.all(names.map((name) => storage.rotate(rotationTo(name))))
      const winners = names.filter((_, position) => outcomes[position] === 'rotated')
      const [found] = await storage.findByIds([session.id])
      assert.deepEqual(winners, [found?.verifierHash])
    },
  },
]
