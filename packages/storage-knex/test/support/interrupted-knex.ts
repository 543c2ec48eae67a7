import type { Moment } from '@jwt-auth/storage-conformance'
import type { Knex } from 'knex'

/** A knex instance whose first write fails: before it is sent, or after the database has run it. */
export const interruptKnex = (knex: Knex, moment: Moment): Knex => {
  const { client } = knex
  const query: (...args: readonly unknown[]) => Promise<unknown> = client.query.bind(client)
  let isInterrupted = false
  client.query = async (...args: readonly unknown[]): Promise<unknown> => {
    if (isInterrupted || isRead(args[1])) return query(...args)
    isInterrupted = true
    if (moment === 'after-commit') await query(...args)
    throw Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' })
  }
  return knex
}

const isRead = (statement: unknown): boolean =>
  /^(select|begin)/i.test(typeof statement === 'string' ? statement : Object(statement).sql)
