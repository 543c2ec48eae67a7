import { readFileSync } from 'node:fs'
import type { User, UserDirectory } from '@jwt-auth/express'

/** The user name of user `id`: every positive whole number is a user. */
export const userNameOf = (id: number): string => `user-${id}`

/** The password of user `id` after so many changes. */
export const passwordOf = (id: number, changes = 0): string => `the password of user ${id}, changed ${changes} times`

/**
 * Creates users without a table. Their passwords are compared in plain text: a login costs no hash.
 *
 * @param changesFile a JSON file that holds how often the password of each user was changed. Every lookup reads the file.
 * @default changesFile no password changes, and users have no credential version
 */
export const createInstanceUsers = (changesFile?: string): UserDirectory => {
  const readVersion = (id: number): number => {
    const changes: unknown = changesFile === undefined ? {} : JSON.parse(readFileSync(changesFile, 'utf8'))
    return typeof changes === 'object' && changes !== null ? Number(Reflect.get(changes, id) ?? 0) : 0
  }

  const toUser = (id: number): User | undefined => {
    if (!Number.isSafeInteger(id) || id <= 0) return undefined
    const name = userNameOf(id)
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
