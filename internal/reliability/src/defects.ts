import type { CallOptions, SessionRecord, SessionStorage, UserDirectory } from '@jwt-auth/core'

/** What a service is given. */
export interface Ports {
  readonly storage: SessionStorage
  readonly users: UserDirectory
}

/** Wraps ports in a bug that a plausible adapter, or the service itself, might have. */
type Defect = (ports: Ports) => Ports

const ofStorage =
  (change: (storage: SessionStorage) => Partial<SessionStorage>): Defect =>
  ({ storage, users }) => ({ users, storage: { ...storage, ...change(storage) } })

/** Bugs an instance may be given, to see that they are found. */
const defects = {
  /** A lookup is answered with what the last one of the same session found, for 50 ms. */
  'caches-lookups': ofStorage((storage) => rememberLookups(storage, 50)),

  /** A lookup joins one of the same session that was already sent. */
  'joins-lookups': ofStorage((storage) => rememberLookups(storage, 0)),

  /** A lookup that fails is answered as if there were no such session. */
  'misses-failures': ofStorage((storage) => ({
    findByIds: async (ids, options) => {
      try {
        return await storage.findByIds(ids, options)
      } catch {
        return []
      }
    },
  })),

  /** The swap resolves to `rotated` for the loser. */
  'blind-swap': ofStorage((storage) => ({
    rotate: async (rotation, options) => {
      await storage.rotate(rotation, options)
      return 'rotated'
    },
  })),

  /** A swap is acknowledged before it is written. */
  'early-swap': ofStorage((storage) => ({
    rotate: async (rotation) => {
      storage.rotate(rotation).catch(() => {})
      return 'rotated'
    },
  })),

  /** Only the last replaced refresh token is remembered. */
  'short-memory': ofStorage((storage) => ({
    rotate: (rotation, options) =>
      storage.rotate({ ...rotation, recentVerifiers: rotation.recentVerifiers.slice(0, 1) }, options),
  })),

  /** An end is acknowledged, and written when the next one comes. */
  'early-end': ofStorage((storage) => {
    let writeLast = (): unknown => undefined
    return {
      end: async (sessionId, ending) => {
        writeLast()
        writeLast = () => storage.end(sessionId, ending).catch(() => {})
        return { outcome: 'ended' }
      },
    }
  }),

  /** An end whose write failed is acknowledged. */
  'unwritten-end': ofStorage((storage) => ({
    end: (sessionId, ending, options) =>
      storage.end(sessionId, ending, options).catch(() => ({ outcome: 'ended' }) as const),
  })),

  /** The end of all sessions of a user ends the two that it found in a list. */
  'listed-ends': ofStorage((storage) => ({
    endAllForUser: async (user, ending, options) => {
      const found = await storage.listActive(user, { now: ending.endedAt, limit: 2 }, options)
      const ends = await Promise.all(found.map(({ id }) => storage.end(id, ending, options)))
      return ends.filter(({ outcome }) => outcome === 'ended').length
    },
  })),

  /** The list of a user's sessions is empty, so that no limit ends any. */
  'empty-lists': ofStorage(() => ({ listActive: async () => [] })),

  /** A user is looked up once: a later change of the password is not seen. */
  'remembered-users': ({ storage, users }) => {
    const known = new Map<unknown, ReturnType<UserDirectory['findById']>>()
    return {
      storage,
      users: {
        ...users,
        findById: (id, options) => {
          const found = known.get(id) ?? users.findById(id, options)
          known.set(id, found)
          return found
        },
      },
    }
  },
} as const satisfies Record<string, Defect>

/** The name of a {@link defects | defect}. */
export type DefectName = keyof typeof defects

/** Plants a defect between a service and its ports; plants nothing without a name. */
export const plantDefect = (name: DefectName | undefined, ports: Ports): Ports =>
  name === undefined ? ports : defects[name](ports)

/** Whether there is a defect of this name. */
export const isDefectName = (name: unknown): name is DefectName =>
  typeof name === 'string' && Object.hasOwn(defects, name)

/** The names of all defects. */
export const defectNames: readonly DefectName[] = Object.keys(defects).filter(isDefectName)

const rememberLookups = (storage: SessionStorage, rememberedMs: number): SessionStorage => {
  const known = new Map<string, Promise<readonly SessionRecord[]>>()

  const findOne = (id: string, options?: CallOptions): Promise<readonly SessionRecord[]> => {
    const remembered = known.get(id)
    if (remembered !== undefined) return remembered
    const lookup = (async () => storage.findByIds([id], options))()
    const forget = (): void => {
      setTimeout(() => known.delete(id), rememberedMs)
    }
    lookup.then(forget, forget)
    known.set(id, lookup)
    return lookup
  }

  return {
    ...storage,
    findByIds: async (ids, options) => (await Promise.all(ids.map((id) => findOne(id, options)))).flat(),
  }
}
