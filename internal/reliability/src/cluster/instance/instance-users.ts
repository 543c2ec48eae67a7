import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { User, UserDirectory } from '@jwt-auth/express'
import { createFolder, removeFolder } from '@jwt-auth/test-support'

/** Returns the user name of user `id`. Every positive integer is the id of a user. */
export const usernameOf = (id: number): string => `user-${id}`

/** Returns the password of user `id` after so many changes. */
export const passwordOf = (id: number, changes = 0): string => `the password of user ${id}, changed ${changes} times`

/**
 * Creates users without a table. Passwords are compared as plain text, so that a login needs no
 * hash.
 *
 * @param changesFile a JSON file with the number of password changes of each user. Every lookup
 *   reads the file.
 * @default changesFile no password changes, and users have no credential version
 */
export const createInstanceUsers = (changesFile?: string): UserDirectory => {
  const readVersion = (id: number): number => {
    const changes: unknown = changesFile === undefined ? {} : JSON.parse(readFileSync(changesFile, 'utf8'))
    return typeof changes === 'object' && changes !== null ? Number(Reflect.get(changes, id) ?? 0) : 0
  }

  const toUser = (id: number): User | undefined => {
    if (!Number.isSafeInteger(id) || id <= 0) return undefined
    const name = usernameOf(id)
    const user = { id, email: `${name}@example.com`, nicename: name, displayName: `User ${id}` }
    return changesFile === undefined ? user : { ...user, credentialVersion: readVersion(id) }
  }

  return {
    findByUsername: async (username) => toUser(Number(username.replace(/^user-/, ''))),
    findById: async (id) => toUser(Number(id)),
    verifyPassword: async (user, password) =>
      user !== undefined && password === passwordOf(Number(user.id), Number(user.credentialVersion ?? 0)),
  }
}

/** Creates passwords in a file, in a temporary folder, that every instance of a fleet reads. */
export const createChangingPasswords = () => {
  const folder = createFolder()
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
    /** Returns how often the password of a user was changed. */
    changesOf,
    /** Changes the password of a user synchronously and atomically, for every instance. */
    change: (userId: number): void => {
      changes.set(userId, changesOf(userId) + 1)
      write()
    },
    remove: async () => removeFolder(folder),
  }
}
