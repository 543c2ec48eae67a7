import { randomBytes, randomInt } from 'node:crypto'
import { createTokenService, type SessionStorage, type UserDirectory } from '@jwt-auth/core'
import { createUsersTable, knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { sqlStorage } from '@jwt-auth/storage-sql'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { connectTo } from '@jwt-auth/test-support'
import type { Knex } from 'knex'
import type { Pool } from 'pg'
import { toAddress } from '../load/journeys.js'
import { openPool, openStorage, poolSize } from '../stores.js'
import { callTimeoutMs, createPasswordUsers, sampleUsers, urlOf, type World } from '../world.js'

/** An operation to measure in its own process, without HTTP. */
export interface OperationContender {
  /** Its name in tables. */
  readonly title: string
  /** Opens the operation, and rejects when it does not do what it should. */
  readonly open: (world: World) => Promise<RunOperation>
}

/** Runs once. `turn` increases with each run of a client, and no two clients share a turn. */
export type RunOperation = (turn: number) => Promise<unknown>

const password = 'correct horse battery staple'

/** Logins of users and sessions in memory, with bcrypt of one cost. */
const logins = (cost: number): Readonly<Record<string, OperationContender>> => ({
  ours: {
    title: '**jwt-auth**',
    open: async ({ secret, issuer, audience }: World) => {
      const users = await createPasswordUsers(password, cost)
      const service = createTokenService({
        ...{ secret, issuer, audience, callTimeoutMs },
        users,
        storage: memoryStorage({ quiet: true }),
      })
      await service.login({ username: 'user-1', password })
      const refused = await service.login({ username: 'user-1', password: 'another' }).catch(() => 'refused')
      if (refused !== 'refused') throw new Error('Another password was accepted.')
      return (turn) => service.login({ username: `user-${turn + 1}`, password })
    },
  },
  /** The least that a login must do: one comparison. */
  bcrypt: {
    title: 'bcrypt alone',
    open: async () => {
      const { default: bcrypt } = await import('bcrypt')
      const hash = await bcrypt.hash(password, cost)
      if (!(await bcrypt.compare(password, hash))) throw new Error('The right password was refused.')
      return () => bcrypt.compare(password, hash)
    },
  },
})

/** Logins on PostgreSQL that hash no password. */
const loginRests: Readonly<Record<string, OperationContender>> = {
  'ours-rest': {
    title: '**jwt-auth**, `knexUsers`',
    open: async (world) => {
      const knex = connectTo(urlOf(world, 'PostgreSQL'), { min: poolSize, max: poolSize })
      await fillUsers(knex)
      return openRest(world, knexStorage(knex), { ...knexUsers(knex), verifyPassword: async () => true })
    },
  },
  'ours-rest-memory': {
    title: '**jwt-auth**, users in memory',
    open: async (world) => {
      const find = (name: string) => sampleUsers.findById(Number(name.slice('user-'.length)))
      const users = { ...sampleUsers, findByUsername: find, verifyPassword: async () => true }
      return openRest(world, await openStorage('PostgreSQL', urlOf(world, 'PostgreSQL')), users)
    },
  },
}

const userCount = 100_000

const fillUsers = async (knex: Knex): Promise<void> => {
  await createUsersTable(knex)
  await knex.raw(`insert into users (username, email, credential_version)
    select 'user-' || n, 'user-' || n || '@example.com', '1' from generate_series(1, ${userCount}) n
    on conflict do nothing`)
}

const openRest = async (
  { secret, issuer, audience }: World,
  storage: SessionStorage,
  users: UserDirectory,
): Promise<RunOperation> => {
  const service = createTokenService({ secret, issuer, audience, callTimeoutMs, users, storage })
  // Few rounds log the same user in, so that the lists of sessions stay short.
  const first = randomInt(userCount)
  return (turn) => {
    const number = ((first + turn) % userCount) + 1
    return service.login({ username: `user-${number}`, password }, { address: toAddress(number) })
  }
}

/** Refreshes on PostgreSQL, with statements that stay prepared or not. */
const refreshes = (preparedStatements: boolean): Readonly<Record<string, OperationContender>> => ({
  'ours-knex': {
    title: '**jwt-auth**, `knexStorage`',
    open: async (world) => {
      const storage = await openStorage('PostgreSQL', urlOf(world, 'PostgreSQL'), { preparedStatements })
      return openRefresh(world, storage)
    },
  },
  'ours-pg': {
    title: '**jwt-auth**, `pgExecutor`',
    open: async (world) => {
      const pool = await openPool(urlOf(world, 'PostgreSQL'))
      return openRefresh(world, sqlStorage(pgExecutor(pool, { preparedStatements })))
    },
  },
  /** The least that a refresh must do, on as many connections as jwt-auth uses. */
  pg: {
    title: 'its two statements alone',
    open: async (world) => openStatements(world, await openPool(urlOf(world, 'PostgreSQL')), preparedStatements),
  },
})

/**
 * The sessions that take turns. With the grace window of a second, a refresh finds one recent
 * verifier at most, as it does when an application refreshes every few minutes.
 */
export const sessionCount = 6_400

/**
 * Opens the refresh of jwt-auth: it finds the session and the user, writes the rotation, and issues
 * two tokens.
 */
const openRefresh = async ({ secret, issuer, audience }: World, storage: SessionStorage): Promise<RunOperation> => {
  const service = createTokenService({
    ...{ secret, issuer, audience, callTimeoutMs, users: sampleUsers, storage },
    rateLimits: false,
    refreshGraceSeconds: 1,
  })
  const refreshTokens = new Map<number, string>()

  const refresh = async (turn: number): Promise<void> => {
    const id = (turn % sessionCount) + 1
    const presented = refreshTokens.get(id) ?? (await service.sessions.create(id)).refreshToken
    const { refreshToken } = await service.refresh(presented)
    refreshTokens.set(id, refreshToken)
  }

  await refresh(0)
  await refresh(0)
  const refused = await service.refresh(`jwtauth_rt_${'A'.repeat(64)}`).catch(() => 'refused')
  if (refused !== 'refused') throw new Error('An unknown refresh token was accepted.')
  return refresh
}

const select = `select id, issuer, user_id, selector_hash, verifier_hash, recent_verifiers, created_at, rotated_at,
  last_used_at, idle_expires_at, absolute_expires_at, ended_at, end_reason, credential_version, dpop_thumbprint,
  user_agent, ip_address, last_user_agent, last_ip_address, label, attributes from jwt_auth_sessions where selector_hash = $1`

const rotate = `update jwt_auth_sessions set verifier_hash = $1, recent_verifiers = $2, rotated_at = $3,
  last_used_at = $4, idle_expires_at = $5, last_user_agent = $6, last_ip_address = $7,
  purgeable_at = least($8, absolute_expires_at) where id = $9 and verifier_hash = $10 and ended_at is null`

const dayMs = 24 * 60 * 60 * 1000
const idleMs = 30 * dayMs

const openStatements = async ({ sessions }: World, pool: Pool, isPrepared: boolean): Promise<RunOperation> => {
  const toQuery = (name: string, text: string) => (isPrepared ? { name, text } : text)
  const [find, write] = [toQuery('find', select), toQuery('write', rotate)]
  // The last session has ended.
  const active = sessions.slice(0, -1)
  const swap = async (turn: number): Promise<void> => {
    const { rows } = await pool.query(find, [active[turn % active.length]?.selectorHash])
    const now = Date.now()
    const recent = JSON.stringify([
      { verifierHash: rows[0].verifier_hash, salt: randomBytes(16).toString('base64url'), replacedAt: now },
    ])
    const next = randomBytes(32).toString('base64url')
    const idleEnd = now + idleMs
    const endOfDay = Math.ceil(idleEnd / dayMs) * dayMs
    const values = [next, recent, now, now, idleEnd, null, null, endOfDay, rows[0].id, rows[0].verifier_hash]
    const { rowCount } = await pool.query(write, values)
    if (rowCount !== 1) throw new Error('The swap changed no row.')
  }
  await swap(0)
  return swap
}

/** The contenders for operations, by group and name. */
export const operations: Readonly<Record<string, Readonly<Record<string, OperationContender>>>> = {
  'bcrypt cost 4': logins(4),
  'bcrypt cost 10': logins(10),
  'bcrypt cost 12': logins(12),
  'login besides the hash': loginRests,
  'statements not prepared': refreshes(false),
  'statements prepared': refreshes(true),
}
