import { renameSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Passwords that every instance of a fleet reads from one file. */
export interface ChangingPasswords {
  readonly file: string
  /** How often the password of a user was changed. */
  readonly changesOf: (userId: number) => number
  /** Changes the password of a user synchronously, for every instance in one step. */
  readonly change: (userId: number) => void
  readonly remove: () => Promise<void>
}

/** Creates the file, in a folder of its own. */
export const createChangingPasswords = async (): Promise<ChangingPasswords> => {
  const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-passwords-'))
  const file = join(folder, 'changes.json')
  const changes = new Map<number, number>()
  const changesOf = (userId: number): number => changes.get(userId) ?? 0

  // A reader sees the file before or after the change, and never half of it.
  const write = (): void => {
    writeFileSync(`${file}.next`, JSON.stringify(Object.fromEntries(changes)))
    renameSync(`${file}.next`, file)
  }

  write()
  return {
    file,
    changesOf,
    change: (userId) => {
      changes.set(userId, changesOf(userId) + 1)
      write()
    },
    remove: () => rm(folder, { recursive: true }),
  }
}
