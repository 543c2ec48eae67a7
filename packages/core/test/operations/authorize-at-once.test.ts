import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import type { SessionStorage } from '../../src/index.js'
import { holdStorage } from '../support/held-storage.js'
import { nextTurn } from '../support/next-turn.js'
import { rejectionOf } from '../support/outcome.js'
import { createTestService } from '../support/test-service.js'

/** A memory storage whose lookups are promises, as those of a database are. */
const waitingStorage = (): SessionStorage => {
  const storage = memoryStorage({ quiet: true })
  return { ...storage, findByIds: async (ids, options) => storage.findByIds(ids, options) }
}

describe('a check over a storage that answers at once', () => {
  it('answers at once', async () => {
    const { service, login } = createTestService()
    const { accessToken, sessionId } = await login()
    expect(service.authorizeAtOnce(accessToken)).toMatchObject({ userId: 1, sessionId })
  })

  it('throws at once what the other one rejects with', async () => {
    const { service, login } = createTestService()
    const { accessToken } = await login()
    await service.revoke(accessToken)
    expect(() => service.authorizeAtOnce(accessToken)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_token', detail: 'the session is over' }),
    )
    expect(() => service.authorizeAtOnce('no token')).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_token' }),
    )
  })

  it('is unavailable when storage throws, and works again when it does not', async () => {
    const storage = memoryStorage({ quiet: true })
    let isDown = false
    const findByIds: SessionStorage['findByIds'] = (ids, options) => {
      if (isDown) throw new Error('down')
      return storage.findByIds(ids, options)
    }
    const { service, login } = createTestService({ storage: { ...storage, findByIds } })
    const { accessToken } = await login()
    isDown = true
    expect(() => service.authorizeAtOnce(accessToken)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_unavailable', cause: expect.objectContaining({ message: 'down' }) }),
    )
    expect(await rejectionOf(service.authorize(accessToken))).toMatchObject({ code: 'jwt_auth_unavailable' })
    isDown = false
    expect(service.authorizeAtOnce(accessToken)).toMatchObject({ userId: 1 })
  })

  it('is unavailable when storage answers what no storage may', async () => {
    const storage = memoryStorage({ quiet: true })
    const { service, login } = createTestService({
      // @ts-expect-error a list is wanted
      storage: { ...storage, findByIds: () => undefined },
    })
    const { accessToken } = await login()
    expect(() => service.authorizeAtOnce(accessToken)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_unavailable' }),
    )
  })

  it('refuses once the service is closed, and is over by the time it has answered', async () => {
    const { service, login } = createTestService()
    const { accessToken } = await login()
    service.authorizeAtOnce(accessToken)
    expect(() => service.authorizeAtOnce('no token')).toThrow()
    await service.close()
    expect(() => service.authorizeAtOnce(accessToken)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_unavailable' }),
    )
  })
})

describe('a check over a storage that has to be waited for', () => {
  it('answers with a promise', async () => {
    const { service, login } = createTestService({ storage: waitingStorage() })
    const { accessToken } = await login()
    for (const _ of [1, 2]) {
      const answer = service.authorizeAtOnce(accessToken)
      expect(answer).toBeInstanceOf(Promise)
      expect(await answer).toMatchObject({ userId: 1 })
    }
  })

  it('is under way for close() until it is answered', async () => {
    const held = holdStorage(waitingStorage())
    const { service, login } = createTestService({ storage: held.storage })
    const { accessToken } = await login()
    held.hold('findByIds')
    const answer = service.authorizeAtOnce(accessToken)
    await held.arrivals('findByIds', 1)
    let isClosed = false
    const closing = service.close().then(() => {
      isClosed = true
    })
    await nextTurn()
    expect(isClosed).toBe(false)
    held.letGo('findByIds')
    expect(await answer).toMatchObject({ userId: 1 })
    await closing
    expect(isClosed).toBe(true)
  })
})

describe('checks over a storage that needs no batching', () => {
  it('are one call each, and do not wait for each other', async () => {
    const storage = waitingStorage()
    const asked: (readonly string[])[] = []
    const { service, login } = createTestService({
      storage: {
        ...storage,
        needsNoBatching: true,
        findByIds: (ids, options) => {
          asked.push(ids)
          return asked.length === 2 ? new Promise(() => {}) : storage.findByIds(ids, options)
        },
      },
    })
    const grants = [await login(), await login(), await login()]
    const [first, second, third] = grants.map(({ accessToken }) => service.authorize(accessToken))
    expect(await first).toMatchObject({ sessionId: grants[0]?.sessionId })
    expect(await third).toMatchObject({ sessionId: grants[2]?.sessionId })
    expect(asked).toEqual(grants.map(({ sessionId }) => [sessionId]))
    expect(second).toBeInstanceOf(Promise)
  })
})

describe('a check of one session that storage fails', () => {
  it('names the session in the detail, and no session where it names none', async () => {
    const { service, storage, login } = createTestService({
      storage: { ...waitingStorage(), findByIds: () => Promise.reject(new Error('down')) },
    })
    const { accessToken, sessionId } = await login()
    expect(await rejectionOf(service.authorize(accessToken))).toMatchObject({
      detail: `storage failed for session ${sessionId}`,
      cause: { message: 'down' },
    })
    storage.listActive = () => Promise.reject(new Error('down'))
    expect(await rejectionOf(service.sessions.list(1))).toMatchObject({ detail: 'storage failed' })
  })
})
