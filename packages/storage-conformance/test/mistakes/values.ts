import { isDeepStrictEqual } from 'node:util'
import type { FoundSession, Rotation, SessionRecord } from '@jwt-auth/core/adapter'
import { changeReads, type Mistake } from './mistake.js'

/** Returns a mistake of a storage that changes each session before it stores it. */
const storesChanged = (does: string, change: (session: SessionRecord) => SessionRecord, caughtBy: string): Mistake => ({
  does,
  breakMethods: (storage) => ({ create: (session, options) => storage.create(change(session), options) }),
  caughtBy: [caughtBy],
})

const toLocal = (instant: number): number => instant - new Date(instant).getTimezoneOffset() * 60_000
const fromLocal = (local: number): number => Date.parse(new Date(local).toISOString().replace('Z', ''))

/**
 * Mistakes with the values of sessions, and with the objects that a method receives or resolves to.
 */
export const valueMistakes: readonly Mistake[] = [
  storesChanged(
    'stores text in the composed Unicode form',
    (session) => ({ ...session, label: session.label?.normalize('NFC') ?? null }),
    'every text field keeps texts distinct that differ in composition, case, accents, width, spaces or invisible characters',
  ),
  storesChanged(
    'truncates text that is longer than the column',
    (session) => ({ ...session, userAgent: session.userAgent?.slice(0, 255) ?? null }),
    'every text field keeps its longest text',
  ),
  storesChanged(
    'stores a fixed list of fields, without the attributes',
    (session) => ({ ...session, attributes: null }),
    'attributes stay the same through a rotation and an end, and null stays null',
  ),
  storesChanged(
    'stores instants in a column of whole seconds',
    (session) => ({ ...session, createdAt: Math.floor(session.createdAt / 1_000) * 1_000 }),
    'every method keeps instants exact to the millisecond',
  ),
  {
    does: 'stores instants in the local time of the process, without a time zone',
    breakMethods: (storage) => ({
      ...changeReads(storage, (session) => ({ ...session, createdAt: fromLocal(session.createdAt) })),
      create: (session, options) => storage.create({ ...session, createdAt: toLocal(session.createdAt) }, options),
    }),
    caughtBy: [
      'every method keeps both instants of a local time exact when the clocks go back',
      'instants stay exact when the writing and the reading process have different time zones',
    ],
  },
  {
    does: 'ends a session with the local time of the process, without a time zone',
    breakMethods: (storage) => {
      const ended = new Set<string>()
      return {
        ...changeReads(storage, (session) =>
          ended.has(session.id) ? { ...session, endedAt: fromLocal(session.endedAt ?? 0) } : session,
        ),
        end: async ({ id, endedAt, endReason }, options) => {
          const outcome = await storage.end({ id, endedAt: toLocal(endedAt), endReason }, options)
          if (outcome.outcome === 'ended') ended.add(id)
          if (outcome.outcome !== 'already-ended' || !ended.has(id)) return outcome
          return { ...outcome, endedAt: fromLocal(outcome.endedAt) }
        },
      }
    },
    caughtBy: ['every method keeps both instants of a local time exact when the clocks go back'],
  },
  {
    does: 'ends the sessions of a user with the local time of the process, without a time zone',
    breakMethods: (storage) => {
      const ended = new Set<string>()
      return {
        ...changeReads(storage, (session) =>
          ended.has(session.id) ? { ...session, endedAt: fromLocal(session.endedAt ?? 0) } : session,
        ),
        endAllForUser: async ({ endedAt, endReason, ...user }, options) => {
          const listed = await storage.list({ ...user, limit: 10_000 }, options)
          for (const each of listed) if (!('error' in each) && each.endedAt === null) ended.add(each.id)
          return storage.endAllForUser({ ...user, endedAt: toLocal(endedAt), endReason }, options)
        },
      }
    },
    caughtBy: ['every method keeps both instants of a local time exact when the clocks go back'],
  },
  {
    does: 'rotates with the local time of the process, without a time zone',
    breakMethods: (storage) => {
      const rotated = new Set<string>()
      return {
        ...changeReads(storage, (session) =>
          rotated.has(session.id) ? { ...session, lastUsedAt: fromLocal(session.lastUsedAt) } : session,
        ),
        rotate: async (rotation, options) => {
          const outcome = await storage.rotate({ ...rotation, lastUsedAt: toLocal(rotation.lastUsedAt) }, options)
          if (outcome === 'rotated') rotated.add(rotation.id)
          return outcome
        },
      }
    },
    caughtBy: ['every method keeps both instants of a local time exact when the clocks go back'],
  },
  {
    does: 'resolves every batch lookup to the stored object itself',
    breakMethods: (storage) => {
      const held = new Map<string, { readonly found: FoundSession; readonly own: FoundSession }>()
      const hold = (found: FoundSession): FoundSession => {
        const known = held.get(found.id)
        if (known !== undefined && isDeepStrictEqual(known.found, found)) return known.own
        const own = structuredClone(found)
        held.set(found.id, { found, own })
        return own
      }
      return { findByIds: async (ids, options) => (await storage.findByIds(ids, options)).map(hold) }
    },
    caughtBy: ['findByIds resolves to copies'],
  },
  {
    does: 'stores the object that create received, not a copy',
    breakMethods: (storage) => {
      const given = new Map<string, SessionRecord>()
      return {
        ...changeReads(storage, (session) => ({ ...session, label: given.get(session.id)?.label ?? null })),
        create: async (session, options) => {
          await storage.create(session, options)
          given.set(session.id, session)
        },
      }
    },
    caughtBy: ['create stores a copy of the session'],
  },
  {
    does: 'stores the list of recent verifiers that rotate received, not a copy',
    breakMethods: (storage) => {
      const given = new Map<string, Rotation['recentVerifiers']>()
      return {
        ...changeReads(storage, (session) => ({
          ...session,
          recentVerifiers: given.get(session.id) ?? session.recentVerifiers,
        })),
        rotate: async (rotation, options) => {
          const outcome = await storage.rotate(rotation, options)
          if (outcome === 'rotated') given.set(rotation.id, rotation.recentVerifiers)
          return outcome
        },
      }
    },
    caughtBy: ['rotate stores a copy of the recent verifiers'],
  },
]
