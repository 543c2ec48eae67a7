import { createHash, randomBytes } from 'node:crypto'
import type { UserId } from '@jwt-auth/express'
import type { Knex } from 'knex'

/** The pages that a link may open. */
export type Purpose = 'sign-up' | 'password-reset' | 'email-confirmation'

/** Whom a link is for. A link for a sign-up has only an address. */
export interface LinkTarget<Id extends UserId = UserId> {
  readonly email: string
  readonly userId?: Id
  readonly credentialVersion?: string | null
}

/** A stored link. */
export interface EmailLink<Id extends UserId = UserId> {
  readonly hash: string
  readonly target: LinkTarget<Id>
}

/** Creates the table of links, unless it exists. Several processes may call it concurrently. */
export const createLinksTable = async (database: Knex): Promise<void> => {
  const hasTable = () => database.schema.hasTable('email_links')
  if (await hasTable()) return
  const creation = database.schema.createTable('email_links', (columns) => {
    columns.string('token_hash', 64).primary()
    columns.string('purpose', 20).notNullable()
    columns.text('target').notNullable()
    columns.bigInteger('expires_at').notNullable().index()
  })
  await creation.catch(async (error) => {
    if (!(await hasTable())) throw error
  })
}

const lifetimesMs: Readonly<Record<Purpose, number>> = {
  'sign-up': 86_400_000,
  'password-reset': 30 * 60_000,
  'email-confirmation': 86_400_000,
}

/** Stores links until they are used or expire. */
export const createEmailLinks = <Id extends UserId>(database: Knex, now: () => number) => ({
  /** Resolves to the token of a new link. */
  create: async (purpose: Purpose, target: LinkTarget<Id>): Promise<string> => {
    await database('email_links').where('expires_at', '<=', now()).delete()
    const token = randomBytes(32).toString('base64url')
    const expires_at = now() + lifetimesMs[purpose]
    const row = { token_hash: toHash(token), purpose, target: JSON.stringify(target), expires_at }
    await database('email_links').insert(row)
    return token
  },

  /** Resolves to `undefined` for a token that is unknown, has been used or has expired. */
  find: async (purpose: Purpose, token: unknown): Promise<EmailLink<Id> | undefined> => {
    const hash = toHash(String(token))
    const row = await database('email_links')
      .where({ token_hash: hash, purpose })
      .where('expires_at', '>', now())
      .first()
    return row && { hash, target: JSON.parse(row.target) }
  },

  /** Uses a link for a change, in one transaction. Resolves to whether it changed something: once for each link. */
  redeem: ({ hash }: EmailLink<Id>, change: (transaction: Knex) => Promise<boolean>): Promise<boolean> =>
    database.transaction(async (transaction) => {
      const deleted = await transaction('email_links').where({ token_hash: hash }).delete()
      return deleted === 1 && (await change(transaction))
    }),
})

// A reader of the database cannot use the links. The token is random, so a fast hash is enough.
const toHash = (token: string): string => createHash('sha256').update(token).digest('hex')
