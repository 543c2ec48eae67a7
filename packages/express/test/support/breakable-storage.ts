import type { SessionStorage } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'

export type StorageMethod = Exclude<keyof SessionStorage, 'isInProcess' | 'needsNoBatching'>

/** Memory storage that notes what it is asked and fails where it is told to. */
export interface BreakableStorage extends SessionStorage {
  readonly calls: StorageMethod[]
  /** From now on the method rejects, with nothing done. */
  readonly breakDown: (...methods: readonly StorageMethod[]) => void
  /** From now on the method does its work and then rejects: its answer is lost. */
  readonly loseAnswers: (...methods: readonly StorageMethod[]) => void
  readonly comeBack: () => void
}

/** What the storage rejects with: nothing of it may reach a client. */
export const storageFailure = new Error('connect ECONNREFUSED db.internal:5432')

export const breakableStorage = (storage: SessionStorage = memoryStorage({ quiet: true })): BreakableStorage => {
  const calls: StorageMethod[] = []
  const broken = new Set<StorageMethod>()
  const losing = new Set<StorageMethod>()

  const run = async <T>(method: StorageMethod, work: () => Promise<T>): Promise<T> => {
    calls.push(method)
    if (broken.has(method)) throw storageFailure
    const answer = await work()
    if (losing.has(method)) throw storageFailure
    return answer
  }

  return {
    isInProcess: storage.isInProcess,
    calls,
    breakDown: (...methods) => {
      for (const method of methods) broken.add(method)
    },
    loseAnswers: (...methods) => {
      for (const method of methods) losing.add(method)
    },
    comeBack: () => {
      broken.clear()
      losing.clear()
    },
    create: (session) => run('create', () => storage.create(session)),
    findByIds: (ids) => run('findByIds', async () => storage.findByIds(ids)),
    findBySelectorHash: (hash) => run('findBySelectorHash', () => storage.findBySelectorHash(hash)),
    rotate: (rotation) => run('rotate', () => storage.rotate(rotation)),
    end: (sessionId, ending) => run('end', () => storage.end(sessionId, ending)),
    endAllForUser: (user, ending) => run('endAllForUser', () => storage.endAllForUser(user, ending)),
    listActive: (user, list) => run('listActive', () => storage.listActive(user, list)),
    endCreatedBefore: (created, ending) => run('endCreatedBefore', () => storage.endCreatedBefore(created, ending)),
    clearRecentVerifiers: (rotatedBefore, limit) =>
      run('clearRecentVerifiers', () => storage.clearRecentVerifiers(rotatedBefore, limit)),
    deleteExpired: (expiredBefore, limit) => run('deleteExpired', () => storage.deleteExpired(expiredBefore, limit)),
  }
}
