import { isDeepStrictEqual } from 'node:util'
import type { FoundSession, Rotation, SessionRecord } from '@jwt-auth/core'
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
          if (outcome === 'rotated') given.set(rotation.sessionId, rotation.recentVerifiers)
          return outcome
        },
      }
    },
    caughtBy: ['rotate stores a copy of the recent verifiers'],
  },
]
