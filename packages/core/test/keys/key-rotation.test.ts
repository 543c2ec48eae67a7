import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'

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
})
