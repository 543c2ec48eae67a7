import type { SqlExecutor, SqlQuery, SqlResult, SqlValue } from '@jwt-auth/storage-sql'
import { createFairQueue, createPooledExecutor } from '@jwt-auth/storage-sql/executor'

/** The part of a Prisma client that the executor uses, also in a transaction. */
export interface PrismaQueries {
  $queryRawUnsafe(text: string, ...values: SqlValue[]): Promise<unknown>
  $executeRawUnsafe(text: string, ...values: SqlValue[]): Promise<number>
}

/** A Prisma client. */
export interface PrismaClientLike extends PrismaQueries {
  $transaction<T>(work: (transaction: PrismaQueries) => Promise<T>, options: { timeout: number }): Promise<T>
}

/**
 * Creates the executor of a Prisma client for PostgreSQL. Prisma cannot cancel a statement: after an abort the call rejects, and the
 * statement runs on. Set `statement_timeout` on the connections, so that a blocked statement ends. Prisma hides its connections, so
 * never send `begin` with `$executeRaw`: statements of the storage could become part of that transaction.
 *
 * @param connections the most statements that run at the same time: no more than the connections of Prisma's driver adapter, so
 * that a call that waits is not sent
 */
export const prismaExecutor = (prisma: PrismaClientLike, connections: number): SqlExecutor => {
  const queue = createFairQueue(connections)
  const executor = createPooledExecutor<{ sent?: Promise<SqlResult> }>({
    dialect: 'postgresql',
    acquire: async () => {
      await queue.enter()
      return {}
    },
    // The statement of an aborted call still uses its connection.
    release: ({ sent }) => void (sent ?? Promise.resolve({})).then(queue.leave, queue.leave),
    send: (slot, text, values) => {
      slot.sent = queryOf(prisma)(text, values)
      return slot.sent
    },
  })
  // The wait for the lock of a migration takes up to 30 seconds.
  const transaction: SqlExecutor['transaction'] = (work) =>
    prisma.$transaction((queries) => work(queryOf(queries)), { timeout: 120_000 })
  return { ...executor, transaction }
}

const queryOf =
  (prisma: PrismaQueries): SqlQuery =>
  async (text, values) => {
    try {
      if (!/^select| returning /.test(text)) return { changedRows: await prisma.$executeRawUnsafe(text, ...values) }
      const rows = await prisma.$queryRawUnsafe(text, ...values)
      return { rows: Array.isArray(rows) ? rows : undefined }
    } catch (error) {
      // Prisma has one code for all failed statements. The storage needs the code of the database.
      const { originalCode } = Object(Object(error).meta?.driverAdapterError?.cause)
      throw originalCode === undefined ? error : Object.assign(Object(error), { code: originalCode })
    }
  }
