import { renameSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Passwords in a file that every instance of a fleet reads. */
export interface ChangingPasswords {
  readonly file: string
  /** Returns how often the password of a user was changed. */
  readonly changesOf: (userId: number) => number
  /** Changes the password of a user synchronously and atomically, for every instance. */
  readonly change: (userId: number) => void
  readonly remove: () => Promise<void>
}

/** Creates the file in a temporary folder. */
export const createChangingPasswords = async (): Promise<ChangingPasswords> => {
  const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-passwords-'))
  const file = join(folder, 'changes.json')
  const changes = new Map<number, number>()
  const changesOf = (userId: number): number => changes.get(userId) ?? 0

  // A rename is atomic: an instance never reads half of a change.
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
