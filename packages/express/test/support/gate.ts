import type { UserDirectory } from '../../src/index.js'
import { createTestUsers } from './test-users.js'

/** A point in the code under test that a test can hold shut. */
export interface Gate {
  /** Waits until the gate is opened. */
  readonly pass: () => Promise<void>
  readonly open: () => void
  /** Settles when somebody stands before the gate. */
  readonly reached: Promise<void>
}

export const createGate = (): Gate => {
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

/** The users of the tests, whose passwords are looked at behind a gate. */
export const createGatedUsers = (gate: Gate): UserDirectory => {
  const users = createTestUsers()
  return {
    ...users,
    verifyPassword: async (user, given) => {
      await gate.pass()
      return users.verifyPassword(user, given)
    },
  }
}
