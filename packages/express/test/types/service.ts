// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import { type JwtAuth, jwtAuth, type SessionStorage, type UserDirectory } from '@jwt-auth/express'

/** A user of the application. */
export interface Account {
  readonly id: number
  readonly email: string
  readonly role: 'admin' | 'reader'
}

declare const users: UserDirectory<Account>
declare const secret: string
declare const storage: SessionStorage

/** The service whose types the programs of the frameworks use. */
export const auth: JwtAuth<Account, { role: Account['role'] }> = jwtAuth({
  secret,
  issuer: 'https://api.example.com',
  storage,
  users,
  claims: ({ role }) => ({ role }),
})
