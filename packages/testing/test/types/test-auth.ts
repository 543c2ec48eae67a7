// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import type { JwtAuth } from '@jwt-auth/express'
import { createTestAuth } from '@jwt-auth/testing'

declare const createApp: (auth: JwtAuth) => void
declare const createTypedApp: (auth: JwtAuth<Member, { role: Member['role'] }>) => void

interface Member {
  readonly id: string
  readonly email: string
  readonly role: 'admin' | 'reader'
}

/** A test passes its service to the application. */
export const checkTestAuth = (members: readonly Member[]): void => {
  const auth = createTestAuth({ users: members, claims: ({ role }) => ({ role }) })
  createTypedApp(auth)
  createApp(auth)
  createApp(createTestAuth())
}
