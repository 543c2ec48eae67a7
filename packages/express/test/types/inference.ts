// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import type { IncomingMessage } from 'node:http'
import { type JwtAuth, jwtAuth, passwordUsers, type SessionStorage, type UserDirectory } from '@jwt-auth/express'

declare const req: IncomingMessage
declare const secret: string
declare const storage: SessionStorage

const issuer = 'https://api.example.com'

interface Row {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly nicename: string
  readonly displayName: string
  readonly passwordHash: string
  readonly role: 'admin' | 'reader'
  readonly bornAt: Date
  readonly teams: string[]
}

declare const rows: Row[]

/** Types flow from a table of users to claims, events, sessions and tokens. */
export const checkTable = async (): Promise<void> => {
  const auth = jwtAuth({
    secret,
    issuer,
    storage,
    claims: (user) => ({ role: user.role, bornAt: user.bornAt, teams: user.teams }),
    onEvent: (event) => {
      if (event.type === 'session_created') event.userId.toFixed()
      // @ts-expect-error: a limit has no user.
      if (event.type === 'rate_limited') event.userId
    },
    users: passwordUsers({
      findByUsername: async (username) => rows.find((row) => row.username === username),
      findById: async (id) => rows.find((row) => row.id === id),
    }),
  })

  const { userId, claims } = await auth.verify('…')
  const id: number = userId
  const role: 'admin' | 'reader' = claims.role
  const bornAt: string = claims.bornAt
  const expiresAt: number = claims.exp
  // @ts-expect-error: claims are frozen.
  claims.teams.push('red')
  // @ts-expect-error: there is no such claim.
  claims.rol

  const { user } = await auth.sessions.create(id)
  user.role satisfies 'admin' | 'reader'
  // @ts-expect-error: the directory keeps the hash.
  user.passwordHash
  await auth.sessions.list(id)
  await auth.sessions.revokeAll(id)
  const checked = await auth.requirePassword(req, '…')
  checked.role satisfies 'admin' | 'reader'
  // @ts-expect-error: without await, there is no user.
  auth.requirePassword(req, '…').id
  // @ts-expect-error: ids are numbers.
  await auth.sessions.create('1')
  // @ts-expect-error: ids are numbers.
  await auth.sessions.revoke('1', '…')
  // @ts-expect-error: ids are numbers.
  await auth.requirePassword('1', '…', req)
  void [role, bornAt, expiresAt]
}

declare const createApp: (auth: JwtAuth) => void
declare const getRole: (auth: JwtAuth<{ id: number; email: string }, { role: string }>) => string

/** A service fits a function that takes any service, or needs less of its users and claims. */
export const checkServiceAsArgument = (auth: JwtAuth<Row, { role: 'admin' | 'reader' }>, untyped: JwtAuth): void => {
  createApp(auth)
  getRole(auth)
  // @ts-expect-error: there is no claim of this name.
  getRole(untyped)
}

/** A lookup with a declared type of id may stand first. */
export const checkOrder = (): JwtAuth<Omit<Row, 'passwordHash'>, { role: 'admin' | 'reader' }> =>
  jwtAuth({
    secret,
    issuer,
    storage,
    users: passwordUsers({
      findById: async (id: number) => rows.find((row) => row.id === id),
      findByUsername: async (username) => rows.find((row) => row.username === username),
    }),
    claims: (user) => ({ role: user.role }),
  })

interface Member {
  readonly id: string
  readonly email: string
  readonly nicename: string
  readonly displayName: string
  readonly isAdmin: boolean
}

class Directory implements UserDirectory<Member> {
  async findByUsername(_username: string): Promise<Member | undefined> {
    return undefined
  }
  async findById(_id: string): Promise<Member | undefined> {
    return undefined
  }
  async verifyPassword(user: Member | undefined, _password: string): Promise<boolean> {
    return user?.isAdmin === true
  }
}

interface MemberClaims {
  readonly isAdmin: boolean
  readonly note?: string
}

/** Types flow from a directory of your own, and from claims with a declared type. */
export const checkDirectory = async (member: Member): Promise<void> => {
  const auth = jwtAuth({
    secret,
    issuer,
    storage,
    users: new Directory(),
    claims: async (user): Promise<MemberClaims> => ({ isAdmin: user.isAdmin }),
  })
  const { userId, claims } = await auth.verify('…')
  userId satisfies string
  claims.isAdmin satisfies boolean
  claims.note satisfies string | undefined
  const typed: JwtAuth<Member, MemberClaims> = auth
  void typed

  const inline = jwtAuth({
    secret,
    issuer,
    storage,
    users: {
      findByUsername: async () => member,
      findById: async () => member,
      verifyPassword: async (user) => user?.isAdmin === true,
    },
    claims: ({ isAdmin }) => ({ isAdmin }),
  })
  const verified = await inline.verify('…')
  verified.claims.isAdmin satisfies boolean
}

/** Without `claims`, there are only the claims of the service. */
export const checkNoClaims = async (): Promise<void> => {
  const auth = jwtAuth({ secret, issuer, storage, users: new Directory() })
  const { claims } = await auth.verify('…')
  claims.sub satisfies string
  // @ts-expect-error: the service adds no claim of this name.
  claims.role
}
