import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService, type TestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'

/** A service whose claims hook never settles after a call of `stopClaims`. */
const createSilentService = () => {
  let isSilent = false
  let notice = (): void => {}
  const claims = (): object | Promise<object> => {
    notice()
    return isSilent ? new Promise(() => {}) : { role: 'reader' }
  }
  const stopClaims = (): Promise<void> => {
    isSilent = true
    return new Promise((resolve) => {
      notice = resolve
    })
  }
  const resumeClaims = (): void => {
    isSilent = false
  }
  return { ...createTestService({ claims, callTimeoutMs: 700 }), stopClaims, resumeClaims }
}

const tooLate = {
  code: 'jwt_auth_unavailable',
  detail: 'option `claims` took too long',
  cause: expect.objectContaining({ message: expect.stringContaining('no response within 700 ms') }),
}

const passDeadline = ({ system }: Pick<TestService, 'system'>): void => {
  expect(system.timers()).toEqual([700])
  system.fireTimers()
}

describe('a claims hook that never settles', () => {
  it('makes a login fail at the deadline, and its session ends', async () => {
    const host = createSilentService()
    const asked = host.stopClaims()
    const login = rejectionOf(host.login())
    await asked
    passDeadline(host)
    expect(await login).toMatchObject(tooLate)
    expect(await host.service.sessions.list(1)).toEqual([])
  })

  it('makes a refresh fail at the deadline, and its refresh token stays valid', async () => {
    const host = createSilentService()
    const { refreshToken } = await host.login()
    const asked = host.stopClaims()
    const refresh = rejectionOf(host.service.refresh(refreshToken))
    await asked
    passDeadline(host)
    expect(await refresh).toMatchObject(tooLate)
    host.resumeClaims()
    expect(await outcomeOf(host.service.refresh(refreshToken))).toBe('ok')
  })

  it('does not prevent the service from closing', async () => {
    const host = createSilentService()
    const asked = host.stopClaims()
    const login = outcomeOf(host.login())
    await asked
    const closing = host.service.close()
    passDeadline(host)
    expect(await login).toBe('jwt_auth_unavailable')
    await expect(closing).resolves.toBeUndefined()
  })
})
