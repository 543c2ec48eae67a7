import { createHash } from 'node:crypto'
import type { JwtAuth, User } from '@jwt-auth/express'
import type { Request } from 'express'
import type { Transporter } from 'nodemailer'
import type { createEmailLinks, LinkTarget, Purpose } from './email-links.js'

/** What sending links needs. */
export interface DeliveryOptions<U extends User> {
  readonly auth: JwtAuth<U>
  /** Sends the e-mails: `createTransport(…, { from: 'Reports <noreply@example.com>' })`. */
  readonly mailer: Transporter
  /** The address of the pages. Never take it from the request: an attacker could choose the host in the link. */
  readonly site: string
  /** Called when an e-mail could not be sent. */
  readonly onError: (error: unknown) => void
}

/** Sends links after the response. */
export const createDeliveries = <U extends User>(
  { auth, mailer, site, onError }: DeliveryOptions<U>,
  links: ReturnType<typeof createEmailLinks<U['id']>>,
) => {
  const deliveries = new Set<Promise<void>>()

  const sendLink = async (purpose: Purpose, target: LinkTarget<U['id']>): Promise<void> => {
    const token = await links.create(purpose, target)
    // A browser sends no fragment (`#…`) to servers, so that no log has the token.
    const text = `Open this link: ${site}/${purpose}#${token}\n\nIf you did not ask for it, ignore this e-mail.`
    await mailer.sendMail({ to: { name: '', address: target.email }, subject: 'Your link', text })
  }

  return {
    /** Responds before it finds who receives a link: neither the response nor its time reveals whether an address exists. */
    deliver: async (
      req: Request,
      { purpose, address }: { readonly purpose: Purpose; readonly address: string },
      findTargets: () => Promise<readonly LinkTarget<U['id']>[]>,
    ): Promise<void> => {
      // Counts the network first, so that a network beyond its limit stores no counts of invented addresses.
      await auth.limit(req, 'mail_from', { points: 20, durationSeconds: 3_600 })
      const key = createHash('sha256').update(address.toLowerCase()).digest('hex')
      await auth.limit(req, 'mail_to', { points: 3, durationSeconds: 3_600, key })
      req.res?.status(202).json({ message: 'If the address can receive a link, it receives an e-mail.' })
      const delivery = findTargets()
        .then((targets) => Promise.all(targets.map((target) => sendLink(purpose, target))))
        .then(() => {}, onError)
        .finally(() => deliveries.delete(delivery))
      deliveries.add(delivery)
    },
    settled: () => Promise.all(deliveries),
  }
}
