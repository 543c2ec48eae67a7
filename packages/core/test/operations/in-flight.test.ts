import { setImmediate as nextTurn } from 'node:timers/promises'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'

/** Returns a function that tells whether a promise has settled. */
const watch = (promise: Promise<unknown>): (() => boolean) => {
  let hasSettled = false
  const note = (): void => {
    hasSettled = true
  }
  promise.then(note, note)
  return () => hasSettled
}

describe('a closed service', () => {
  it('rejects every further operation with jwt_auth_unavailable', async () => {
    const { service, login } = createTestService()
    const { accessToken, refreshToken, sessionId } = await login()
    await service.close()
    const operations = [
      login(),
      service.refresh(refreshToken),
      service.authorize(accessToken),
      service.authorizeUser(accessToken),
      service.revoke(accessToken),
      service.sessions.create(1),
      service.sessions.list(1),
      service.sessions.revoke(1, sessionId),
      service.sessions.revokeAll(1),
      service.sessions.purge(),
    ]
    expect(await Promise.all(operations.map(outcomeOf))).toEqual(operations.map(() => 'jwt_auth_unavailable'))
  })

  it('rejects with a cause that names close()', async () => {
    const { service, login } = createTestService()
    await service.close()
    expect(await rejectionOf(login())).toMatchObject({ cause: { message: expect.stringContaining('close()') } })
  })

  it('waits for operations in flight, which finish as usual', async () => {
    const gate = createCallGate(memoryStorage({ quiet: true }))
    const { service, login } = createTestService({ storage: gate.port })
    const { refreshToken, accessToken } = await login()
    gate.hold('rotate', 'end')
    const refreshing = service.refresh(refreshToken)
    const revoking = service.revoke(accessToken)
    await gate.held('rotate')
    const isClosed = watch(service.close())

    await nextTurn()
    expect(isClosed()).toBe(false)
    gate.open('rotate')
    expect(await outcomeOf(refreshing)).toBe('ok')
    await nextTurn()
    expect(isClosed()).toBe(false)
    gate.open('end')
    expect(await outcomeOf(revoking)).toBe('ok')
    await nextTurn()
    expect(isClosed()).toBe(true)
  })

  it('does not wait for a failed operation', async () => {
    const gate = createCallGate(memoryStorage({ quiet: true }))
    const { service, login } = createTestService({ storage: gate.port })
    const { accessToken } = await login()
    gate.hold('findByIds')
    const authorizing = outcomeOf(service.authorize(accessToken))
    const [lookup] = await gate.held('findByIds')
    const closing = service.close()
    lookup?.reject(new Error('connection lost'))
    expect(await authorizing).toBe('jwt_auth_unavailable')
    await closing
  })

  it('may be closed again, also by concurrent callers', async () => {
    const { service } = createTestService()
    await Promise.all([service.close(), service.close()])
    await service.close()
  })
})
