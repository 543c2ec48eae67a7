import type { User, UserDirectory, UserId } from '@jwt-auth/core'
import type { ModelUser } from './reference-session.js'

export const modelUserIds = [1, 2] as const

export type ModelUserId = (typeof modelUserIds)[number]

/** The host's users, as plain as can be: a password is the user's present version. */
export interface HostUsers extends UserDirectory {
  readonly find: (id: ModelUserId) => ModelUser | undefined
  readonly change: (id: ModelUserId, change: (user: ModelUser) => ModelUser | undefined) => void
}

export const usernameOf = (id: ModelUserId): string => `user-${id}`
export const passwordOf = (version: number): string => `password ${version}`

export const createHostUsers = (): HostUsers => {
  const users = new Map<ModelUserId, ModelUser>(modelUserIds.map((id) => [id, { version: 1, isDisabled: false }]))
  const read = (id: UserId | undefined): User | undefined => {
    const known = modelUserIds.find((one) => one === id)
    const user = known && users.get(known)
    return known && user && toUser(known, user)
  }
  return {
    find: (id) => users.get(id),
    change: (id, change) => {
      const user = users.get(id)
      const changed = user && change(user)
      if (changed === undefined) users.delete(id)
      else users.set(id, changed)
    },
    findById: async (id) => read(id),
    findByUsername: async (username) => read(modelUserIds.find((id) => usernameOf(id) === username)),
    verifyPassword: async (user, password) =>
      user !== undefined && passwordOf(Number(user.credentialVersion)) === password,
  }
}

const toUser = (id: ModelUserId, { version, isDisabled }: ModelUser): User => ({
  id,
  email: `${usernameOf(id)}@example.com`,
  nicename: usernameOf(id),
  displayName: usernameOf(id),
  disabled: isDisabled,
  credentialVersion: String(version),
})
