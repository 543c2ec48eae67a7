import type { UserDirectory } from '../../src/index.js'
import { createTestUsers } from './test-users.js'

/** A point in the code under test at which a test can hold callers back. */
export interface Latch {
  /** Waits until the latch is opened. */
  readonly pass: () => Promise<void>
  readonly open: () => void
  /** Resolves when the first caller has arrived. */
  readonly reached: Promise<void>
}

export const createLatch = (): Latch => {
  let open = (): void => {}
  let reach = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  return {
    pass: () => {
      reach()
      return opened
    },
    open,
    reached,
  }
}

/** Creates the users of the tests, whose passwords are checked behind a latch. */
export const createLatchedUsers = (latch: Latch): UserDirectory => {
  const users = createTestUsers()
  return {
    ...users,
    verifyPassword: async (user, given) => {
      await latch.pass()
      return users.verifyPassword(user, given)
    },
  }
}
