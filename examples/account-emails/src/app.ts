import { createHash, randomUUID } from 'node:crypto'
import type { JwtAuth } from '@jwt-auth/express'
import type { TableUser } from '@jwt-auth/storage-knex'
import { json, type Request, type Response, Router } from 'express'
import type { Knex } from 'knex'
import type { Transporter } from 'nodemailer'
import { createEmailLinks, type LinkUser, type Purpose } from './email-links.js'

/** What the routes need. */
export interface AccountEmailsOptions {
  readonly auth: JwtAuth<TableUser>
  /** The database with the table of links, and the table of users, which has a column `email_confirmed`. */
  readonly database: Knex
  /** Sends the e-mails: `createTransport(…, { from: 'Reports <noreply@example.com>' })`. */
  readonly mailer: Transporter
  /** The address of the pages. Never take it from the request: an attacker could choose the host in the link. */
  readonly site: string
  readonly now: () => number
  /** Called when an e-mail could not be sent. */
  readonly onError: (error: unknown) => void
}

interface LinkRequest {
  readonly purpose: Purpose
  /** The address that receives the link. */
  readonly email: string
  /** Columns of the user. */
  readonly where: object
}

const lifetimesMs: Readonly<Record<Purpose, number>> = {
  'password-reset': 30 * 60_000,
  'email-confirmation': 86_400_000,
}

/** Creates the routes that set a forgotten password and confirm an e-mail address. */
export const createAccountEmails = (options: AccountEmailsOptions) => {
  const { auth, database, mailer, site, now, onError } = options
  const links = createEmailLinks(database, now)
  const deliveries = new Set<Promise<void>>()

  // Counts the network first, so that a network beyond its limit stores no counts of invented addresses.
  const requireFewEmails = async (req: Request, email: string): Promise<void> => {
    await auth.limit(req, 'mail_from', { points: 20, durationSeconds: 3_600 })
    const key = createHash('sha256').update(email.toLowerCase()).digest('hex')
    await auth.limit(req, 'mail_to', { points: 3, durationSeconds: 3_600, key })
  }

  const sendLink = async (purpose: Purpose, user: LinkUser): Promise<void> => {
    const token = await links.create(purpose, user, lifetimesMs[purpose])
    // A browser sends no fragment (`#…`) to servers, so that no log has the token.
    const text = `Open this link: ${site}/${purpose}#${token}\n\nIf you did not ask for it, ignore this e-mail.`
    await mailer.sendMail({ to: { name: '', address: user.email }, subject: 'Your link', text })
  }

  /** Responds before it looks users up: neither the response nor its time reveals whether an address exists. */
  const requestLinks = async (
    [req, res]: readonly [Request, Response],
    { purpose, email, where }: LinkRequest,
  ): Promise<void> => {
    await requireFewEmails(req, email)
    res.status(202).json({ message: 'If an account has this address, it receives an e-mail.' })
    const delivery = database('users')
      .where({ ...where, email, disabled: false })
      .select<LinkUser[]>('id', 'email', 'credential_version')
      // Some databases find an address under other spellings, which the limit counts separately.
      .then((users) => users.filter((user) => user.email === email))
      .then((users) => Promise.all(users.map((user) => sendLink(purpose, user))))
      .then(() => {}, onError)
      .finally(() => deliveries.delete(delivery))
    deliveries.add(delivery)
  }

  const router = Router()

  router.post('/password-reset/request', json(), async (req, res) => {
    const email = toText(req.body?.email).trim().slice(0, 254)
    await requestLinks([req, res], {
      purpose: 'password-reset',
      email,
      where: { email_confirmed: true },
    })
  })

  router.post('/password-reset', json(), async (req, res) => {
    const password = toText(req.body?.password)
    const link = await links.find('password-reset', toText(req.body?.token))
    if (link === undefined) return refuse(res, 400)
    if (password.length < 12 || password.length > 256) return refuse(res, 422)
    const password_hash = await auth.hashPassword(req, password)
    const isChanged = await links.redeem(link, { password_hash, credential_version: randomUUID() })
    if (!isChanged) return refuse(res, 400)
    await auth.sessions.revokeAll(link.user_id, { reason: 'password_reset' })
    res.sendStatus(204)
  })

  router.post('/email-confirmation/request', auth.guard(), async (req, res) => {
    const { userId: id } = auth.getAuth(req)
    const user = await database('users').where({ id }).first<Pick<LinkUser, 'email'> | undefined>('email')
    await requestLinks([req, res], { purpose: 'email-confirmation', email: user?.email ?? '', where: { id } })
  })

  router.post('/email-confirmation', json(), async (req, res) => {
    const link = await links.find('email-confirmation', toText(req.body?.token))
    if (link === undefined || !(await links.redeem(link, { email_confirmed: true }))) return refuse(res, 400)
    res.sendStatus(204)
  })

  // Wait for `settled()` when the process stops: e-mails may still be on their way.
  return { router, settled: () => Promise.all(deliveries) }
}

const messages = {
  400: 'The link is invalid or has expired. Ask for another one.',
  422: 'Use 12 to 256 characters.',
}

const refuse = (res: Response, status: keyof typeof messages): void => {
  res.status(status).json({ message: messages[status] })
}

const toText = (value: unknown): string => (typeof value === 'string' && value.isWellFormed() ? value : '')
