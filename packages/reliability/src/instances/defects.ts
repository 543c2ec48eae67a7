import type { CallOptions, EndOutcome, SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Wraps a storage in a bug that a plausible adapter might have. */
type Defect = (storage: SessionStorage) => SessionStorage

/** Bugs an instance may be given, to see that they are found. */
export const defects = {
  /** A lookup is answered with what the last one of the same session found, for 50 ms. */
  'caches-lookups': (storage) => rememberLookups(storage, 50),

  /** A lookup joins one of the same session that was already sent. */
  'joins-lookups': (storage) => rememberLookups(storage, 0),

  /** Who loses the swap is told that it won. */
  'blind-swap': (storage) => ({
    ...storage,
    rotate: async (rotation, options) => {
      await storage.rotate(rotation, options)
      return 'rotated'
    },
  }),

  /** An end is acknowledged a moment before it is written. */
  'early-end': (storage) => ({
    ...storage,
    end: async (sessionId, ending): Promise<EndOutcome> => {
      setTimeout(() => storage.end(sessionId, ending), 1_000)
      return { outcome: 'ended' }
    },
  }),
} as const satisfies Record<string, Defect>

/** The name of a {@link defects | defect}. */
export type DefectName = keyof typeof defects

/** Whether there is a defect of this name. */
export const isDefectName = (name: unknown): name is DefectName =>
  typeof name === 'string' && Object.hasOwn(defects, name)

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
