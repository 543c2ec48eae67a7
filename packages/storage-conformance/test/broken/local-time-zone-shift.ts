import type { SessionStorage } from '@jwt-auth/core'
import { changeReads } from '../support/change-reads.js'

/** Stores instants in the local time of the process, without a time zone. */
export const localTimeZoneShift = (storage: SessionStorage): SessionStorage => ({
  ...changeReads(storage, (session) => ({ ...session, createdAt: fromLocal(session.createdAt) })),
  create: (session, options) => storage.create({ ...session, createdAt: toLocal(session.createdAt) }, options),
})

const toLocal = (instant: number): number => instant - new Date(instant).getTimezoneOffset() * 60_000

const fromLocal = (local: number): number => Date.parse(new Date(local).toISOString().replace('Z', ''))
