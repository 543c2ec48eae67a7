import type { CallOptions } from '@jwt-auth/core'
import type { FoundSession } from '@jwt-auth/core/adapter'
import { untilAborted } from '../support/test-storages.js'
import { type Mistake, recordSessions } from './mistake.js'

/** Also used on a storage with jitter. */
export const sharesLookups: Mistake = {
  does: 'shares lookups of the same id that are in flight, and heeds the signal of each call',
  breakMethods: (storage) => {
    const inFlight = new Map<string, Promise<readonly FoundSession[]>>()
    const read = async (id: string) => storage.findByIds([id])
    const find = async (id: string, { signal }: CallOptions = {}) => {
      signal?.throwIfAborted()
      const lookup = inFlight.get(id) ?? read(id).finally(() => inFlight.delete(id))
      inFlight.set(id, lookup)
      return untilAborted(lookup, signal)
    }
    return { findByIds: async (ids, options) => (await Promise.all(ids.map((id) => find(id, options)))).flat() }
  },
  caughtOnlyBy: [
    'every lookup sees an end that resolved before the lookup started, while earlier lookups are in flight',
    'every lookup sees an end that resolved before the lookup started, while earlier lookups are in flight, through two storages',
  ],
}

/** Mistakes of `findByIds`. */
export const lookupMistakes: readonly Mistake[] = [
  sharesLookups,
  {
    does: 'looks up the first 450 ids of a batch only',
    breakMethods: (storage) => ({ findByIds: (ids, options) => storage.findByIds(ids.slice(0, 450), options) }),
    caughtOnlyBy: ['findByIds finds every session in the largest batch that core sends, of 500 ids'],
  },
  {
    does: 'finds a session by its id where the selector hash is given',
    breakMethods: (storage) => ({
      findBySelectorHash: async (hash, options) =>
        (await storage.findBySelectorHash(hash, options)) ?? (await storage.findByIds([hash], options))[0],
    }),
    caughtOnlyBy: ['findBySelectorHash finds the one session with the selector hash, active or ended'],
  },
  {
    does: 'returns a list instead of a promise',
    // @ts-expect-error the port requires a promise
    breakMethods: () => ({ findByIds: () => [] }),
    caughtBy: ['findByIds returns a promise'],
  },
  {
    does: 'resolves to an empty list when one of the ids is missing',
    breakMethods: (storage) => ({
      findByIds: async (ids, options) => {
        const found = await storage.findByIds(ids, options)
        return found.length < ids.length ? [] : found
      },
    }),
    caughtBy: ['findByIds omits ids that no session has'],
  },
  {
    does: 'resolves a batch lookup to an earlier result, like a replica with lag',
    breakMethods: (storage) => {
      const snapshots = new Map<string, readonly FoundSession[]>()
      return {
        findByIds: async (ids, options) => {
          const found = snapshots.get(ids.join()) ?? (await storage.findByIds(ids, options))
          snapshots.set(ids.join(), found)
          return found
        },
      }
    },
    caughtBy: [
      'every lookup sees the writes that resolved before the lookup started',
      'every lookup sees the writes that resolved before the lookup started, through two storages',
    ],
  },
  {
    does: 'reports a failed lookup as a missing session',
    breakMethods: (storage) => ({
      findByIds: (ids, options) => storage.findByIds(ids, options).catch(() => []),
      findBySelectorHash: (hash, options) => storage.findBySelectorHash(hash, options).catch(() => undefined),
    }),
    caughtBy: [
      'findByIds rejects, with no bound value in the error, when the backend fails',
      'findBySelectorHash rejects, with no bound value in the error, when the backend fails',
    ],
  },
  {
    does: 'looks up ids in a case-insensitive column',
    breakMethods: (storage) => {
      const { stored, create } = recordSessions(storage)
      const isAlike = (id: string) => (each: { readonly id: string }) => each.id.toLowerCase() === id.toLowerCase()
      const findAlike = (id: string) => stored.filter(isAlike(id)).map((session) => session.id)
      return { create, findByIds: (ids, options) => storage.findByIds(ids.flatMap(findAlike), options) }
    },
    caughtBy: ['findByIds, rotate and end compare ids exactly, character by character'],
  },
]
