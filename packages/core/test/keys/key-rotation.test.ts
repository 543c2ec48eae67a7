import { createSecretKey } from 'node:crypto'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { HmacAlgorithm } from '../../src/keys/algorithm.js'

const oldSecret = testSecret
const newSecret = `new-${testSecret}`

describe('a service with several secrets', () => {
  it('accepts refresh tokens of a secret that is no longer listed', async () => {
    const storage = memoryStorage({ quiet: true })
    const before = createTestService({ storage, secret: oldSecret })
    const after = createTestService({ storage, secret: newSecret })
    const { refreshToken, sessionId } = await before.login()
    expect(await after.service.refresh(refreshToken)).toMatchObject({ sessionId })
  })

  it('accepts tokens of a service with the same secret in another form', async () => {
    const storage = memoryStorage({ quiet: true })
    const asText = createTestService({ storage, secret: testSecret })
    const asKey = createTestService({ storage, secret: [createSecretKey(Buffer.from(testSecret))] })
    const { accessToken, sessionId } = await asText.login()
    expect(await asKey.service.authorize(accessToken)).toMatchObject({ sessionId })
  })
})

describe('a service under another algorithm', () => {
  const secret = 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb+p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb'

  it.each(['HS256', 'HS384', 'HS512'] as const)('signs with %s and accepts its own tokens', async (algorithm) => {
    const { service, login } = createTestService({ secret, algorithm })
    const { accessToken, sessionId } = await login()
    expect(JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      alg: algorithm,
    })
    expect(await service.authorize(accessToken)).toMatchObject({ sessionId })
  })

  it.each<[HmacAlgorithm, HmacAlgorithm]>([
    ['HS512', 'HS256'],
    ['HS256', 'HS512'],
    ['HS256', 'HS384'],
  ])('rejects, under %s, tokens of %s that were signed with the same key', async (to, from) => {
    const storage = memoryStorage({ quiet: true })
    const { accessToken } = await createTestService({ storage, secret, algorithm: from }).login()
    const other = createTestService({ storage, secret, algorithm: to })
    expect(await rejectionOf(other.service.authorize(accessToken))).toMatchObject({
      code: 'jwt_auth_invalid_token',
      message: 'Signature verification failed',
    })
  })
})
