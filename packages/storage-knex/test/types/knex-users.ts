// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed
// packages.
import { createTokenService, type SessionStorage } from '@jwt-auth/core'
import { knexUsers } from '@jwt-auth/storage-knex'
import type { Knex } from 'knex'

declare const knex: Knex
declare const secret: string
declare const storage: SessionStorage

const issuer = 'https://api.example.com'
const table = 'users'
const columns = { id: 'id', username: 'login', passwordHash: 'password_hash', email: 'email' }

/** Further columns reach the claims with their types, and ids are numbers. */
export const checkExtraColumns = async (): Promise<void> => {
  const service = createTokenService({
    secret,
    issuer,
    storage,
    users: knexUsers<{ role: 'admin' | 'member' }>(knex, { table, columns, extraColumns: { role: 'role' } }),
    claims: (user) => ({ role: user.role }),
  })
  const { userId, claims } = await service.authorize('…')
  userId satisfies number
  claims.role satisfies 'admin' | 'member'
  // @ts-expect-error: ids are numbers.
  await service.sessions.list('1')
  // @ts-expect-error: the type has no such column.
  knexUsers<{ role: string }>(knex, { table, columns, extraColumns: { rol: 'role' } })
}

/** Without a type, the values of further columns are unknown. */
export const checkUnknownColumns = async (): Promise<void> => {
  const service = createTokenService({
    secret,
    issuer,
    storage,
    users: knexUsers(knex, { table, columns, extraColumns: { role: 'role' } }),
    claims: ({ role }) => ({ role: String(role) }),
  })
  const { claims } = await service.authorize('…')
  claims.role satisfies string
}

/** With `idType: 'text'`, ids are text. */
export const checkTextIds = async (): Promise<void> => {
  const inferred = createTokenService({
    secret,
    issuer,
    storage,
    users: knexUsers(knex, { table, columns, idType: 'text' }),
  })
  await inferred.sessions.list('a')
  // @ts-expect-error: ids are text.
  await inferred.sessions.list(1)

  const users = knexUsers<{ role: string }, 'text'>(knex, {
    table,
    columns,
    extraColumns: { role: 'role' },
    idType: 'text',
  })
  const declared = createTokenService({
    secret,
    issuer,
    storage,
    users,
    claims: ({ id, role }) => ({ of: id.length, role }),
  })
  await declared.sessions.list('a')
}
