import { createHash } from 'node:crypto'
import { AuthError, type JwtAuth, type User } from '@jwt-auth/express'
import type { Request, RequestHandler, Response } from 'express'
import type { Knex } from 'knex'

/** What the new applications need. */
export interface AppOptions {
  readonly database: Knex
  /** A new secret, for jwt-auth. */
  readonly secret: string
  /** The secret of the old application. */
  readonly oldSecret: string
  readonly now: () => number
  /** Further options of jwt-auth. */
  readonly options?: object
}

/** A login of the old library. */
export interface OldLogin<Id> {
  readonly userId: Id
  /** Identifies the login: the id of the old session, or the claims of the old token as JSON. */
  readonly name: string
  /** When the user logged in. Guards with `maxAuthAgeSeconds` read it in the new session. */
  readonly loggedInAtMs: number
}

/** What {@link createOldLogins} needs. */
export interface OldLoginsOptions<U extends User> {
  readonly auth: JwtAuth<U>
  readonly database: Knex
  /** Checks a request as the old application did. Resolves to `undefined` if the request has no valid login. */
  readonly readOldLogin: (req: Request, res: Response) => Promise<OldLogin<U['id']> | undefined>
  /** Deletes the old login from a browser that has exchanged it. @default the page deletes its token itself */
  readonly clearOldCookie?: (res: Response) => void
  readonly now: () => number
}

/** Accepts old logins until they expire, and exchanges them for sessions. */
export interface OldLogins<U extends User> {
  /** Accepts requests with an old login, and all requests that `auth.guard()` accepts. */
  readonly guard: RequestHandler
  /** Returns the user of a request behind the guard. Throws without a guard. */
  readonly getUserId: (req: Request) => U['id']
  /** Responds with the tokens of a new session. The old login ends after a minute. Needs `auth.errorHandler()`. */
  readonly exchange: RequestHandler
  /** Ends the sessions and the old logins of a user. Call it after a password change too. */
  readonly logOutEverywhere: (userId: U['id']) => Promise<void>
}

// The old login still works for this long after its exchange: for other tabs, and for a retry after a lost response.
const graceMs = 60_000

// Most old tokens cannot be revoked, so this table has those that have ended. Drop it after the migration.
const table = 'ended_old_logins'

/** Creates the table of the old logins that have ended. Several processes may call it concurrently. */
export const createOldLoginsTable = async (database: Knex): Promise<void> => {
  const hasTable = () => database.schema.hasTable(table)
  if (await hasTable()) return
  const creation = database.schema.createTable(table, (columns) => {
    columns.string('name', 64).primary()
    columns.bigInteger('ends_at').notNullable()
  })
  await creation.catch(async (error) => {
    if (!(await hasTable())) throw error
  })
}

export const createOldLogins = <U extends User>(options: OldLoginsOptions<U>): OldLogins<U> => {
  const { auth, database, readOldLogin, clearOldCookie, now } = options
  const userIds = new WeakMap<Request, U['id']>()
  const guard = auth.guard()

  const end = (name: string, endsAt: number) =>
    database(table).insert({ name, ends_at: endsAt }).onConflict('name').ignore()

  const isActive = async ({ userId, name }: OldLogin<U['id']>): Promise<boolean> => {
    const names = [toLoginName(name), toUserName(userId)]
    const ended = await database(table).whereIn('name', names).where('ends_at', '<=', now()).first()
    return ended === undefined
  }

  const findLogin = async (req: Request, res: Response): Promise<OldLogin<U['id']> | undefined> => {
    const login = await readOldLogin(req, res)
    return login !== undefined && (await isActive(login)) ? login : undefined
  }

  // The user may have logged out everywhere since the first check, before the new session existed.
  const requireActive = async (login: OldLogin<U['id']>, sessionId: string): Promise<void> => {
    if (await isActive(login)) return
    await auth.sessions.revoke(login.userId, sessionId)
    throw new AuthError('jwt_auth_invalid_token')
  }

  return {
    guard: async (req, res, next) => {
      const login = await findLogin(req, res)
      if (login === undefined) return guard(req, res, next)
      userIds.set(req, login.userId)
      next()
    },

    getUserId: (req) => userIds.get(req) ?? auth.getAuth(req).userId,

    exchange: async (req, res) => {
      const login = await findLogin(req, res)
      if (login === undefined) throw new AuthError('jwt_auth_invalid_token')
      // The clock of the old instance may have been ahead.
      const authenticatedAt = new Date(Math.min(login.loggedInAtMs, now()))
      const tokens = await auth.openSession(req, login.userId, { authenticatedAt })
      await end(toLoginName(login.name), now() + graceMs)
      await requireActive(login, tokens.sessionId)
      clearOldCookie?.(res)
      auth.sendTokens(res, tokens)
    },

    logOutEverywhere: async (userId) => {
      // In this order, an exchange at the same moment opens no session that stays.
      await end(toUserName(userId), now())
      await auth.sessions.revokeAll(userId)
    },
  }
}

// The id of a session is a secret, so the table has digests.
const toLoginName = (name: string): string => createHash('sha256').update(`login ${name}`).digest('hex')
const toUserName = (userId: number | string): string => createHash('sha256').update(`user ${userId}`).digest('hex')
