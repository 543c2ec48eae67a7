import { machineSystem, withSystem } from '@jwt-auth/core/internal'
import { type JwtAuth, type JwtAuthOptions, jwtAuth, type User, type UserDirectory } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'

/**
 * The options of {@link createTestAuth}: those of `jwtAuth`, all optional.
 */
export interface TestAuthOptions<U extends User = User, C extends object = object>
  extends Partial<Omit<JwtAuthOptions<U, C>, 'users'>> {
  /**
   * Your users: a list, or the directory of your application. A user of a list logs in with their
   * `username` (without it, `email`) and the text in their member `password`. Nothing is hashed.
   * The list is read at each call, so that a test may change it.
   * @default []: nobody can log in
   */
  readonly users?: readonly U[] | UserDirectory<U> | undefined
}

/** What {@link createTestAuth} returns: a service of `jwtAuth`, and its clock. */
export type TestAuth<U extends User = User, C extends object = object> = JwtAuth<U, C> & {
  /**
   * The clock of the service. It starts at the time of the machine, and stands still until the test
   * moves it.
   */
  readonly clock: {
    /** Returns the present instant of the service. */
    now(): Date
    /** Moves the clock forward, or back by a negative number. */
    advanceSeconds(seconds: number): void
  }
}

/**
 * Creates a service of `jwtAuth` for a test: on memory storage, with a random secret, and with a
 * clock that the test moves.
 *
 * @throws TypeError that names the wrong option
 * @example
 * ```ts
 * const auth = createTestAuth({
 *   users: [{ id: 1, email: 'ann@example.com', role: 'admin' }],
 *   claims: ({ role }) => ({ role }),
 * })
 * const app = createApp(auth)
 * ```
 */
export const createTestAuth = <U extends User, C extends object = object>(
  options: TestAuthOptions<U, C> = {},
): TestAuth<U, C> => {
  const { users = [], ...others } = options
  // Whole seconds, as in the tokens: a token then expires when the clock has moved by its lifetime.
  let instant = Math.floor(machineSystem.now() / 1000) * 1000
  const advanceSeconds = (seconds: number): void => {
    instant += Math.round(seconds * 1000)
  }
  const auth = jwtAuth<U, C>({
    issuer: 'https://auth.test',
    secret: machineSystem.randomBytes(64),
    storage: memoryStorage({ quiet: true }),
    purgeIntervalSeconds: false,
    ...others,
    users: isList(users) ? listUsers(users) : users,
    ...withSystem({ now: () => instant }),
  })
  return Object.assign(auth, { clock: { now: () => new Date(instant), advanceSeconds } })
}

const isList = <U extends User>(users: readonly U[] | UserDirectory<U>): users is readonly U[] => Array.isArray(users)

const listUsers = <U extends User>(users: readonly U[]): UserDirectory<U> => ({
  findByUsername: async (username) => users.find((user) => (user.username ?? user.email) === username),
  findById: async (id) => users.find((user) => user.id === id),
  verifyPassword: async (user, password) =>
    user !== undefined && !user.disabled && 'password' in user && user.password === password,
})
