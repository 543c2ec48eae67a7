import { createHash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'

/** The pages that a link may open. */
export type Purpose = 'password-reset' | 'email-confirmation'

/** The user that a link is for. */
export interface LinkUser {
  readonly id: number
  readonly email: string
  readonly credential_version: string
}

/** A stored link. */
interface EmailLink extends Omit<LinkUser, 'id'> {
  readonly token_hash: string
  readonly user_id: number
}

/** Creates the table of links, unless it exists. Several processes may call it concurrently. */
export const createLinksTable = async (database: Knex): Promise<void> => {
  const hasTable = () => database.schema.hasTable('email_links')
  if (await hasTable()) return
  const creation = database.schema.createTable('email_links', (columns) => {
    columns.string('token_hash', 64).primary()
    columns.string('purpose', 20).notNullable()
    columns.integer('user_id').notNullable()
    columns.string('email').notNullable()
    columns.string('credential_version', 64).notNullable()
    columns.bigInteger('expires_at').notNullable().index()
  })
  await creation.catch(async (error) => {
    if (!(await hasTable())) throw error
  })
}

/** Stores links until they are used or expire. */
export const createEmailLinks = (database: Knex, now: () => number) => ({
  /** Resolves to the token of a new link. */
  create: async (purpose: Purpose, user: LinkUser, lifetimeMs: number): Promise<string> => {
    await database('email_links').where('expires_at', '<=', now()).delete()
    const { id: user_id, email, credential_version } = user
    const token = randomBytes(32).toString('base64url')
    const expires_at = now() + lifetimeMs
    await database('email_links').insert({
      token_hash: hash(token),
      purpose,
      user_id,
      email,
      credential_version,
      expires_at,
    })
    return token
  },

  /** Resolves to `undefined` for a token that is unknown, has been used or has expired. */
  find: (purpose: Purpose, token: string): Promise<EmailLink | undefined> =>
    database('email_links')
      .where({ token_hash: hash(token), purpose })
      .where('expires_at', '>', now())
      .first(),

  /**
   * Uses a link to change its user. Resolves to whether the user was changed: once for each link, and only while the user has the
   * address and the password of the time when the link was sent.
   */
  redeem: ({ token_hash, user_id: id, email, credential_version }: EmailLink, changes: object): Promise<boolean> =>
    database.transaction(async (transaction) => {
      const deleted = await transaction('email_links').where({ token_hash }).delete()
      if (deleted === 0) return false
      return (await transaction('users').where({ id, email, credential_version }).update(changes)) === 1
    }),
})

// A reader of the database cannot use the links. The token is random, so a fast hash is enough.
const hash = (token: string): string => createHash('sha256').update(token).digest('hex')
