import { createHash } from 'node:crypto'
import { createTokenService, isAuthError, type UserDirectory } from '@jwt-auth/core'
import type { System } from '@jwt-auth/core/internal'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { withSystem } from '@jwt-auth/test-support/test-clock'

/** An attempt to log in. Every user name has an account, and all accounts have the same password. */
export interface Login {
  readonly username: string
  readonly address: string
  readonly isRightPassword: boolean
}

/** `in`, or when to retry. A wrong password may be retried immediately: after 0 seconds. */
export type LoginOutcome = 'in' | { readonly waitSeconds: number }

/** Tries to log in. */
export type TryLogin = (login: Login) => Promise<LoginOutcome>

/** The password of all accounts. */
export const rightPassword = 'the right one'

/** Creates the token service with its defaults, on simulated time. */
export const createSimulatedLogins = (
  users: UserDirectory,
  { now, startTimer }: Pick<System, 'now' | 'startTimer'>,
): TryLogin => {
  const service = createTokenService({
    purgeIntervalSeconds: false,
    // Always the same, since the keys of the limits depend on it and the table must not change.
    secret: createHash('sha256').update('a service that is simulated').digest(),
    issuer: 'https://simulator.example',
    users,
    storage: memoryStorage({ quiet: true }),
    ...withSystem({ now, startTimer }),
    callTimeoutMs: 5_000,
  })
  return async ({ username, address, isRightPassword }) => {
    try {
      await service.login({ username, password: isRightPassword ? rightPassword : 'a guess' }, { address })
      return 'in'
    } catch (thrown) {
      if (!isAuthError(thrown)) throw thrown
      return { waitSeconds: thrown.retryAfterSeconds ?? 0 }
    }
  }
}
