import type { SessionRecord } from '@jwt-auth/core'

/** The stores a session can stand in beside memory. */
export type StoreName = 'SQLite' | 'PostgreSQL' | 'MariaDB' | 'Redis'

/** What contenders are asked with: the same key, tokens and sessions for all of them. */
export interface World {
  /** The text of the signing secret. */
  readonly secret: string
  readonly issuer: string
  readonly audience: string
  /** Access tokens of live sessions, one for each. */
  readonly tokens: readonly string[]
  /** An access token, good in itself, whose session was ended. */
  readonly revokedToken: string
  /** All of these sessions, the ended one last. */
  readonly sessions: readonly SessionRecord[]
  /** Databases that hold these sessions, by the URL to connect to. */
  readonly databaseUrls: Readonly<Partial<Record<StoreName, string>>>
  /** bcrypt's work factor where passwords are checked. */
  readonly bcryptCost: number
}

/** The URL of a world's database. Throws when this world has none. */
export const databaseUrlOf = (world: World, store: StoreName): string => {
  const url = world.databaseUrls[store]
  if (url === undefined) throw new Error(`This world has no ${store}.`)
  return url
}
