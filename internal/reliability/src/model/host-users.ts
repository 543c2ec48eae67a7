import type { User, UserId } from '@jwt-auth/core'
import type { ModelUser } from './reference-session.js'

/** The ids of the users that exist at the start. */
export const modelUserIds = [1, 2] as const

/** The id of a user of the model. */
export type ModelUserId = (typeof modelUserIds)[number]

/** The application's users. A user's password is the user's current version. */
export type HostUsers = ReturnType<typeof createHostUsers>

/** Returns the user name of a user. */
export const usernameOf = (id: ModelUserId): string => `user-${id}`

/** Returns the password of a user with this version. */
export const passwordOf = (version: number): string => `password ${version}`

/** Creates both users, with version 1. */
export const createHostUsers = () => {
  const pasts = new Map<ModelUserId, (ModelUser | undefined)[]>(
    modelUserIds.map((id) => [id, [{ version: 1, isDisabled: false }]]),
  )
  const find = (id: ModelUserId): ModelUser | undefined => pasts.get(id)?.at(-1)
  const findUser = (id: UserId | undefined): User | undefined => {
    const known = modelUserIds.find((one) => one === id)
    const user = known && find(known)
    return known && user && toUser(known, user)
  }
  return {
    find,
    /** Replaces a user. `undefined` deletes the user. */
    change: (id: ModelUserId, change: (user: ModelUser) => ModelUser | undefined): void => {
      const user = find(id)
      pasts.get(id)?.push(user && change(user))
    },
    /**
     * Starts to observe a user. The result returns the present user and what each later change made
     * of it.
     */
    observe: (id: ModelUserId) => {
      const past = pasts.get(id) ?? []
      const from = past.length - 1
      return (): readonly (ModelUser | undefined)[] => past.slice(from)
    },
    findById: async (id: UserId) => findUser(id),
    findByUsername: async (username: string) => findUser(modelUserIds.find((id) => usernameOf(id) === username)),
    verifyPassword: async (user: User | undefined, password: string) =>
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
