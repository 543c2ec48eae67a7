import type { CallOptions, SessionStorage } from '@jwt-auth/core'
import type { FoundSession } from '@jwt-auth/core/adapter'
import type { DamageSession, HoldBackend, Moment } from '../../src/index.js'

/** Settles like `work`, or rejects when the signal aborts. */
export const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason)
    signal?.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Replaces a call. `send` makes the original call, with the options that it receives. */
export type WrapCall = <T>(send: (options?: CallOptions) => Promise<T>, options: CallOptions | undefined) => Promise<T>

/** Returns a storage that makes every call through `wrap`. */
export const wrapCalls = (storage: SessionStorage, wrap: WrapCall): SessionStorage => ({
  create: (session, options) => wrap((given) => storage.create(session, given), options),
  findByIds: (ids, options) => wrap(async (given) => storage.findByIds(ids, given), options),
  findBySelectorHash: (hash, options) => wrap((given) => storage.findBySelectorHash(hash, given), options),
  rotate: (rotation, options) => wrap((given) => storage.rotate(rotation, given), options),
  end: (ending, options) => wrap((given) => storage.end(ending, given), options),
  endAllForUser: (ending, options) => wrap((given) => storage.endAllForUser(ending, given), options),
  list: (list, options) => wrap((given) => storage.list(list, given), options),
  endCreatedBefore: (ending, options) => wrap((given) => storage.endCreatedBefore(ending, given), options),
  deleteExpired: ({ before, limit }, options) =>
    wrap((given) => storage.deleteExpired({ before, limit }, given), options),
})

const refuse = async (): Promise<never> => {
  throw new Error('connection refused')
}

/** Returns a storage whose backend fails every call. */
export const failingStorage = (): SessionStorage => ({
  create: refuse,
  findByIds: refuse,
  findBySelectorHash: refuse,
  rotate: refuse,
  end: refuse,
  endAllForUser: refuse,
  list: refuse,
  endCreatedBefore: refuse,
  deleteExpired: refuse,
})

/** Returns a storage whose first call fails, before or after it takes place. */
export const interruptedStorage = (storage: SessionStorage, moment: Moment): SessionStorage => {
  let isInterrupted = false
  return wrapCalls(storage, async (send, options) => {
    if (isInterrupted) return send(options)
    isInterrupted = true
    if (moment === 'after-commit') await send(options)
    throw new Error('interrupted')
  })
}

/** Returns a storage whose calls wait while it is held, and the function that holds it. */
export const holdableStorage = (storage: SessionStorage): readonly [SessionStorage, HoldBackend] => {
  let released = Promise.resolve()
  const waiting = wrapCalls(storage, async (send, options) => {
    options?.signal?.throwIfAborted()
    await untilAborted(released, options?.signal)
    return send(options)
  })
  const hold: HoldBackend = () => {
    let release = () => {}
    released = new Promise((resolve) => {
      release = resolve
    })
    return release
  }
  return [waiting, hold]
}

/** Returns a storage, and the function that makes its sessions unreadable. */
export const damageableStorage = (storage: SessionStorage): readonly [SessionStorage, DamageSession] => {
  const damaged = new Set<string>()
  const read = (session: FoundSession): FoundSession =>
    damaged.has(session.id)
      ? { id: session.id, error: new TypeError('the field recentVerifiers holds an unknown value') }
      : session
  const damageable: SessionStorage = {
    ...storage,
    findByIds: async (ids, options) => (await storage.findByIds(ids, options)).map(read),
    findBySelectorHash: async (selectorHash, options) => {
      const found = await storage.findBySelectorHash(selectorHash, options)
      return found && read(found)
    },
    list: async (list, options) => (await storage.list(list, options)).map(read),
  }
  const damage: DamageSession = (sessionId) => {
    damaged.add(sessionId)
    return () => damaged.delete(sessionId)
  }
  return [damageable, damage]
}
