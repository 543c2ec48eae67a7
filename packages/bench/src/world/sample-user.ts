import type { User } from '@jwt-auth/core'

/** A user of the world: every number is one. */
export const sampleUser = (id: number): User => ({
  id,
  email: `user-${id}@example.com`,
  nicename: `user-${id}`,
  displayName: `User ${id}`,
})
