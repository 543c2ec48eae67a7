import { describe, expect, it } from 'vitest'
import type { HostClaims } from '../../src/index.js'
import { outcomeOf, rejectionOf } from '../support/outcome.js'
import { createTestService, type TestService } from '../support/test-service.js'

/** A host whose claims come or don't, as the test says. */
const createSilentHost = () => {
  let isSilent = false
  let hear = (): void => {}
  const claims = (): HostClaims | Promise<HostClaims> => {
    hear()
    return isSilent ? new Promise(() => {}) : { role: 'reader' }
  }
  const fallSilent = (): Promise<void> => {
    isSilent = true
    return new Promise((resolve) => {
      hear = resolve
    })
  }
  const speak = (): void => {
    isSilent = false
  }
  return { ...createTestService({ claims, storageTimeoutMs: 700 }), fallSilent, speak }
}

const tooLate = {
  code: 'jwt_auth_unavailable',
  cause: expect.objectContaining({ message: expect.stringContaining('no answer within 700 ms') }),
}

const passDeadline = ({ system }: Pick<TestService, 'system'>): void => {
  expect(system.timers()).toEqual([700])
  system.fireTimers()
}

describe('claims of the host that never come', () => {
  it('fail a login at the deadline, and its session ends', async () => {
    const host = createSilentHost()
    const asked = host.fallSilent()
    const login = rejectionOf(host.login())
    await asked
    passDeadline(host)
    expect(await login).toMatchObject(tooLate)
    expect(await host.service.sessions.list(1)).toEqual([])
  })

  it('fail a refresh at the deadline, and its token is good as before', async () => {
    const host = createSilentHost()
    const { refreshToken } = await host.login()
    const asked = host.fallSilent()
    const refresh = rejectionOf(host.service.refresh(refreshToken))
    await asked
    passDeadline(host)
    expect(await refresh).toMatchObject(tooLate)
    host.speak()
    expect(await outcomeOf(host.service.refresh(refreshToken))).toBe('ok')
  })

  it('let the service close', async () => {
    const host = createSilentHost()
    const asked = host.fallSilent()
    const login = outcomeOf(host.login())
    await asked
    const closing = host.service.close()
    passDeadline(host)
    expect(await login).toBe('jwt_auth_unavailable')
    await expect(closing).resolves.toBeUndefined()
  })
})
