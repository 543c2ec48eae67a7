import type { CallOptions, SessionStorage, User, UserDirectory } from '@jwt-auth/core'
import type { FoundSession } from '@jwt-auth/core/adapter'

/** The ports of a service. */
export interface Ports {
  readonly storage: SessionStorage
  readonly users: UserDirectory
}

/** Wraps ports in a bug that an adapter, or the service itself, could have. */
type Defect = (ports: Ports) => Ports

const ofStorage =
  (change: (storage: SessionStorage) => Partial<SessionStorage>): Defect =>
  ({ storage, users }) => ({ users, storage: { ...storage, ...change(storage) } })

/** Bugs that tests plant in a service, to show that they are found. */
const defects = {
  /** A lookup returns what the last lookup of the same session found, for 100 turns of the loop. */
  'caches-lookups': ofStorage((storage) => shareLookups(storage, (forget) => afterTurns(100, forget))),

  /** A lookup joins a lookup of the same session that was already sent. */
  'joins-lookups': ofStorage((storage) => shareLookups(storage, (forget) => afterTurns(3, forget))),

  /** A lookup that fails resolves to “no session”, instead of rejecting. */
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

  /** The swap that confirms the present verifier is acknowledged, and never written. */
  'unconfirmed-repeat': ofStorage((storage) => ({
    rotate: async (rotation, options) =>
      rotation.verifierHash === rotation.expectedVerifierHash ? 'rotated' : storage.rotate(rotation, options),
  })),

  /** Sessions are found without the thumbprint of their key. */
  'forgets-keys': ofStorage((storage) => ({
    findBySelectorHash: async (hash, options) => {
      const found = await storage.findBySelectorHash(hash, options)
      return found && 'issuer' in found ? { ...found, dpopThumbprint: null } : found
    },
  })),

  /** Only the last replaced refresh token is remembered. */
  'short-memory': ofStorage((storage) => ({
    rotate: (rotation, options) =>
      storage.rotate({ ...rotation, recentVerifiers: rotation.recentVerifiers.slice(0, 1) }, options),
  })),

  /** An end is acknowledged, and written when the next end comes. */
  'early-end': ofStorage((storage) => {
    let writeLast = (): unknown => undefined
    return {
      end: async (ending) => {
        writeLast()
        writeLast = () => storage.end(ending).catch(() => {})
        return { outcome: 'ended' }
      },
    }
  }),

  /** An end whose write failed is acknowledged. */
  'unwritten-end': ofStorage((storage) => ({
    end: (ending, options) => storage.end(ending, options).catch(() => ({ outcome: 'ended' }) as const),
  })),

  /** `endAllForUser` ends only the first two sessions that it finds in a list. */
  'listed-ends': ofStorage((storage) => ({
    endAllForUser: async (ending, options) => {
      const found = await storage.list({ ...ending, activeAt: ending.endedAt, limit: 2 }, options)
      const ends = await Promise.all(found.map(({ id }) => storage.end({ ...ending, id }, options)))
      return ends.filter(({ outcome }) => outcome === 'ended').length
    },
  })),

  /** The list of a user's sessions is empty, so that no limit ends any. */
  'empty-lists': ofStorage(() => ({ list: async () => [] })),

  /** A user is looked up at the login only: a later change of the password is not seen. */
  'remembered-users': ({ storage, users }) => {
    const known = new Map<unknown, User | undefined>()
    return {
      storage,
      users: {
        ...users,
        findByUsername: async (username, options) => {
          const user = await users.findByUsername(username, options)
          if (user !== undefined) known.set(user.id, user)
          return user
        },
        findById: async (id, options) => known.get(id) ?? users.findById(id, options),
      },
    }
  },
} as const satisfies Record<string, Defect>

/** The name of a {@link defects | defect}. */
export type DefectName = keyof typeof defects

/** Returns the ports with a defect. Returns the same ports without a name. */
export const plantDefect = (name: DefectName | undefined, ports: Ports): Ports =>
  name === undefined ? ports : defects[name](ports)

/** Returns whether a value is the name of a defect. */
const isDefectName = (name: unknown): name is DefectName => typeof name === 'string' && Object.hasOwn(defects, name)

/** The names of all defects. */
export const defectNames: readonly DefectName[] = Object.keys(defects).filter(isDefectName)

/**
 * Waits for turns of the event loop rather than for time, so that the model finds the defect with
 * the same seed each time.
 */
const afterTurns = (turns: number, run: () => void): void => {
  if (turns === 0) run()
  else setImmediate(() => afterTurns(turns - 1, run))
}

/**
 * Shares the lookups of one session. `onSettled` is called when a lookup has settled, with a
 * function that ends the sharing.
 */
const shareLookups = (storage: SessionStorage, onSettled: (forget: () => void) => void): Partial<SessionStorage> => {
  const known = new Map<string, Promise<readonly FoundSession[]>>()

  const findOne = (id: string, options?: CallOptions): Promise<readonly FoundSession[]> => {
    const sent = known.get(id)
    if (sent !== undefined) return sent
    const lookup = storage.findByIds([id], options)
    const settle = (): void => onSettled(() => known.delete(id))
    lookup.then(settle, settle)
    known.set(id, lookup)
    return lookup
  }

  return { findByIds: async (ids, options) => (await Promise.all(ids.map((id) => findOne(id, options)))).flat() }
}
