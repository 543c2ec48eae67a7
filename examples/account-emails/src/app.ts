import { randomUUID } from 'node:crypto'
import { canonicalUsername, type User } from '@jwt-auth/express'
import { json, type Request, type RequestHandler, type Response, Router } from 'express'
import type { Knex } from 'knex'
import { createDeliveries, type DeliveryOptions } from './deliveries.js'
import { createEmailLinks, type EmailLink, type LinkTarget } from './email-links.js'

/** What the routes need. */
export interface AccountEmailsOptions<U extends User> extends DeliveryOptions<U> {
  /** The database with the table of links and the table of users. */
  readonly database: Knex
  /** The table of users. @default 'users' */
  readonly table?: string
  /** The names of its columns. @default those of `createUsersTable`, and `email_confirmed` */
  readonly columns?: Partial<typeof usualColumns>
  readonly now: () => number
}

/** The names of the columns of a new application. */
export const usualColumns = {
  id: 'id',
  // Unique. A sign-up stores the address here too, so that users log in with it.
  username: 'username',
  email: 'email',
  passwordHash: 'password_hash',
  credentialVersion: 'credential_version',
  emailConfirmed: 'email_confirmed',
  disabled: 'disabled',
}

/** Creates the routes that sign users up, set a forgotten password and confirm an e-mail address. */
export const createAccountEmails = <U extends User>(options: AccountEmailsOptions<U>) => {
  const { auth, database, table = 'users', now } = options
  const { id, username, email, passwordHash, credentialVersion, ...names } = { ...usualColumns, ...options.columns }
  const links = createEmailLinks<U['id']>(database, now)
  const { deliver, settled } = createDeliveries(options, links)

  const findTargets = async (address: string, where: object): Promise<readonly LinkTarget<U['id']>[]> => {
    const users = database(table).where({ ...where, [email]: address, [names.disabled]: false })
    const targets: LinkTarget<U['id']>[] = await users.select({ userId: id, email, credentialVersion })
    // Some databases find an address under other spellings, which the limit counts separately.
    return targets.filter((target) => target.email === address)
  }

  const insertUser =
    ({ target }: EmailLink<U['id']>, password: object) =>
    async (transaction: Knex) => {
      const row = { ...password, [username]: target.email, [email]: target.email, [names.emailConfirmed]: true }
      await transaction(table).insert(row).onConflict(username).ignore()
      // If the name was taken, its row has another version.
      return (await transaction(table).where(row).first(id)) !== undefined
    }
  // Only while the user has the address and the password of the time when the link was sent.
  const updateUser =
    ({ target }: EmailLink<U['id']>, columns: object) =>
    async (transaction: Knex) => {
      const user = { [id]: target.userId, [email]: target.email, [credentialVersion]: target.credentialVersion }
      return (await transaction(table).where(user).update(columns)) === 1
    }

  const router = Router()
  for (const purpose of ['sign-up', 'password-reset'] as const) {
    router.post(`/${purpose}/request`, json(), async (req) => {
      const address = readAddress(req)
      await deliver(req, { purpose, address }, async () => {
        const targets = await findTargets(address, { [names.emailConfirmed]: true })
        const isNew = targets.length === 0 && address !== '' && purpose === 'sign-up'
        return isNew ? [{ email: address }] : targets
      })
    })
    router.post(`/${purpose}`, json(), requirePassword, async (req, res) => {
      const link = await links.find(purpose, req.body.token)
      if (link === undefined) return respond(res, false)
      const hash = await auth.hashPassword(req, req.body.password)
      const password = { [passwordHash]: hash, [credentialVersion]: randomUUID() }
      const { userId } = link.target
      const isSet = await links.redeem(link, (userId === undefined ? insertUser : updateUser)(link, password))
      if (isSet && userId !== undefined) await auth.sessions.revokeAll(userId, { reason: 'password_reset' })
      respond(res, isSet)
    })
  }
  router.post('/email-confirmation/request', auth.guard(), async (req) => {
    const owner = { [id]: auth.getAuth(req).userId }
    const { address = '' } = (await database(table).where(owner).first({ address: email })) ?? {}
    await deliver(req, { purpose: 'email-confirmation', address }, () => findTargets(address, owner))
  })
  router.post('/email-confirmation', json(), async (req, res) => {
    const link = await links.find('email-confirmation', req.body?.token)
    respond(res, link !== undefined && (await links.redeem(link, updateUser(link, { [names.emailConfirmed]: true }))))
  })
  // Wait for `settled()` when the process stops: e-mails may still be on their way.
  return { router, settled }
}

const requirePassword: RequestHandler = (req, res, next) => {
  const password: unknown = req.body?.password
  const isAcceptable = typeof password === 'string' && password.isWellFormed()
  if (isAcceptable && password.length >= 12 && password.length <= 256) next()
  else res.status(422).json({ message: 'Use 12 to 256 characters.' })
}

// The form in which the addresses are stored. It is empty for a value that is no address.
const readAddress = (req: Request): string => {
  const value: unknown = req.body?.email
  const address = typeof value === 'string' && canonicalUsername(value)
  return address && /^[^@\s]{1,64}@[^@\s]{1,190}$/.test(address) ? address : ''
}

const respond = (res: Response, isDone: boolean): void => {
  if (isDone) res.sendStatus(204)
  else res.status(400).json({ message: 'The link is invalid or has expired. Ask for another one.' })
}
