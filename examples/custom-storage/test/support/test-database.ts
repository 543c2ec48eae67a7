import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DamageSession, HoldBackend, Moment } from '@jwt-auth/storage-conformance'
import { open } from 'lmdb'
import type { LmdbDatabase } from '../../src/transactions.js'

/** A database for tests, and the ways in which the cases disturb it. */
export interface TestDatabase {
  /** The path that child processes open. */
  readonly path: string
  /** Empties the database and returns it. */
  readonly empty: () => LmdbDatabase
  /** The database whose first write fails: before the commit, or when the commit is flushed to the disk. */
  readonly interrupt: (moment: Moment) => LmdbDatabase
  /** A closed database, of which every call fails. */
  readonly closed: LmdbDatabase
  /** Keeps the lock of all writers in another process. */
  readonly hold: HoldBackend
  /** Kills a process that has written a value with the key `held`, before it commits. */
  readonly killWriter: () => Promise<void>
  /** Overwrites the row of a login. */
  readonly damage: DamageSession
  /** Closes the database and deletes its files. */
  readonly drop: () => Promise<void>
}

/** Creates a database in a temporary folder. `programs` is the folder of the bundled `hold-process`. */
export const createTestDatabase = async (programs: URL): Promise<TestDatabase> => {
  const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-lmdb-'))
  const path = join(folder, 'sessions')
  const db = open<string>({ path, encoding: 'string' })
  const closed = open<string>({ path: join(folder, 'closed'), encoding: 'string' })
  await closed.close()

  const startHolder = async () => {
    const program = fileURLToPath(new URL('hold-process.mjs', programs))
    const holder = spawn(process.execPath, [program, path], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    return holder
  }

  const broken = (): Error => new Error('the disk failed')
  const delegate: Omit<LmdbDatabase, 'childTransaction' | 'flushed'> = {
    get: (key) => db.get(key),
    getRange: (range) => db.getRange(range),
    putSync: (key: string[], value: string) => db.putSync(key, value),
    removeSync: (key) => db.removeSync(key),
    resetReadTxn: () => db.resetReadTxn(),
  }

  return {
    path,
    empty: () => {
      db.clearSync()
      return db
    },
    interrupt: (moment) => {
      let isInterrupted = false
      const isNow = (reached: Moment): boolean => {
        if (isInterrupted || reached !== moment) return false
        isInterrupted = true
        return true
      }
      return {
        ...delegate,
        childTransaction: (action) =>
          db.childTransaction(() => {
            const result = action()
            if (isNow('before-commit')) throw broken()
            return result
          }),
        get flushed() {
          return isNow('after-commit') ? db.flushed.then(() => Promise.reject(broken())) : db.flushed
        },
      }
    },
    closed,
    hold: async () => {
      const holder = await startHolder()
      return async () => {
        holder.stdin.end()
        await once(holder, 'exit')
      }
    },
    killWriter: async () => {
      const holder = await startHolder()
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    },
    damage: async (id) => {
      const key = ['login', id]
      const row = db.get(key) ?? ''
      await db.put(key, 'damaged')
      return () => db.put(key, row)
    },
    drop: async () => {
      await db.close()
      rmSync(folder, { recursive: true })
    },
  }
}
