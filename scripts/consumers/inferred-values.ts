// Compiled into declarations by types.mjs, never run. An application may export these values without
// writing their types: each type has a name that the application can import, also where it cannot
// import the packages on which ours depend (pnpm).

import type { IncomingMessage } from 'node:http'
import { jwtAuth, passwordUsers } from '@jwt-auth/express'
import { knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { type RedisScriptClient, redisStorage } from '@jwt-auth/storage-redis'
import { createTestAuth } from '@jwt-auth/testing'
import type { Knex } from 'knex'

declare const knex: Knex
declare const client: RedisScriptClient
declare const secret: string
declare const find: (key: string | number) => Promise<Row | undefined>

interface Row {
  readonly id: number
  readonly email: string
  readonly role: 'admin' | 'reader'
  readonly passwordHash: string
}

const issuer = 'https://api.example.com'

export const storage = knexStorage(knex)
export const users = knexUsers(knex)
export const limiter = storage.limiter
export const auth = jwtAuth({
  secret,
  issuer,
  storage: redisStorage(client),
  users: passwordUsers({ findByUsername: find, findById: find }),
  claims: ({ role }) => ({ role }),
})
export const guard = auth.guard()
export const { sessions, login, verifyRequest } = auth
export const createTokens = () => auth.sessions.create(1)
export const listOf = (req: IncomingMessage) => auth.sessions.list(auth.getAuth(req).userId)
export const getUser = async (req: IncomingMessage) => auth.getUser(req)
export const { clock } = createTestAuth()
export const redis = redisStorage(client)
export const directory = passwordUsers({ findByUsername: find, findById: find })
