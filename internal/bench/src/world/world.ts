import type { SessionRecord } from '@jwt-auth/core'

/** The stores besides memory. */
export type StoreName = 'SQLite' | 'PostgreSQL' | 'MariaDB' | 'Redis'

/** The secret, tokens and sessions for all contenders. */
export interface World {
  /** The text of the signing secret. */
  readonly secret: string
  readonly issuer: string
  readonly audience: string
  /** The access tokens of active sessions, one for each. */
  readonly tokens: readonly string[]
  /** An access token whose session has ended. */
  readonly revokedToken: string
  /** All sessions, with the ended session last. */
  readonly sessions: readonly SessionRecord[]
  /** The URLs of databases with these sessions. */
  readonly databaseUrls: Readonly<Partial<Record<StoreName, string>>>
  /** The cost of bcrypt. */
  readonly bcryptCost: number
}

/** Returns the URL of a world's database. Throws when the world has none. */
export const databaseUrlOf = (world: World, store: StoreName): string => {
  const url = world.databaseUrls[store]
  if (url === undefined) throw new Error(`The world has no database on ${store}.`)
  return url
}
