import { createHmac } from 'node:crypto'
import { findRecord } from '@jwt-auth/test-support/find-records'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../src/adapter.js'
import type { TokenServiceOptions } from '../../src/index.js'
import { parseRefreshToken, type RefreshToken, toHash } from '../../src/session/refresh-token.js'

const newSecret = `2-${testSecret}`

const requireToken = (text: string): RefreshToken => {
  const token = parseRefreshToken(text)
  if (token === undefined) throw new Error('no refresh token')
  return token
}

/** Returns the values that an attacker can derive from a replaced token and a copy of the session, without a service secret. */
const deriveFrom = ({ selector, verifier }: RefreshToken, { recentVerifiers, ...row }: SessionRecord) => {
  const salts = recentVerifiers.map(({ salt }) => Buffer.from(salt, 'base64url'))
  const texts = [...Object.values(row), ...recentVerifiers.map(({ verifierHash }) => verifierHash)].map((value) =>
    Buffer.from(String(value)),
  )
  const keys = [verifier, ...texts.map((text) => createHmac('sha256', text).update(verifier).digest())]
  return keys.flatMap((key) => salts.map((salt) => createHmac('sha256', key).update(salt).update(selector).digest()))
}

describe('a replaced refresh token together with a full copy of its session', () => {
  it('does not allow deriving the current token', async () => {
    const { service, storage, login } = createTestService()
    const { refreshToken, sessionId } = await login()
    await service.refresh(refreshToken)
    const row = await findRecord(storage, sessionId)
    if (row === undefined) return expect.unreachable()
    const derived = deriveFrom(requireToken(refreshToken), row)
    expect(derived.length).toBeGreaterThan(10)
    expect(derived.map(toHash)).not.toContain(row.verifierHash)
  })
})

describe('after a change of the secret', () => {
  const createChanged = async (secret: TokenServiceOptions['secret']) => {
    const former = createTestService()
    const { refreshToken, sessionId } = await former.login()
    const { refreshToken: current } = await former.service.refresh(refreshToken)
    const { storage, system } = former
    return { ...createTestService({ storage, system, secret }), system, replaced: refreshToken, current, sessionId }
  }

  it('a repeat returns the current token while the former secret is in the list', async () => {
    const { service, replaced, current } = await createChanged([newSecret, testSecret])
    expect((await service.refresh(replaced)).refreshToken).toBe(current)
    const { refreshToken: next } = await service.refresh(current)
    expect((await service.refresh(replaced)).refreshToken).toBe(next)
  })

  it('a repeat that needs a removed secret is refused, and the session stays active', async () => {
    const { service, storage, replaced, current, sessionId, events } = await createChanged(newSecret)
    const before = await storage.findByIds([sessionId])
    expect(await outcomeOf(service.refresh(replaced))).toBe('jwt_auth_invalid_refresh_token')
    expect(await storage.findByIds([sessionId])).toEqual(before)
    expect(events).toEqual([])
    expect(await outcomeOf(service.refresh(current))).toBe('ok')
  })

  it('a replaced token outside the grace window is a replay although its secret was removed', async () => {
    const { service, storage, replaced, sessionId, system } = await createChanged(newSecret)
    system.advance(30_001)
    expect(await outcomeOf(service.refresh(replaced))).toBe('jwt_auth_invalid_refresh_token')
    expect(await storage.findByIds([sessionId])).toMatchObject([{ endReason: 'refresh_token_replayed' }])
  })
})

it('a repeat returns the current token after all signing keys were replaced', async () => {
  const { service, login } = createTestService()
  const { refreshToken } = await login()
  const { refreshToken: current } = await service.refresh(refreshToken)
  service.setKeys([{ key: newSecret, algorithm: 'HS256', state: 'active' }])
  expect((await service.refresh(refreshToken)).refreshToken).toBe(current)
})
