/**
 * What the blocks of the pages may use without a declaration: exports of the packages, the objects
 * of the guides, and the names of an imagined application. A block that declares a name hides the
 * name of this file.
 */
import type * as client from '@jwt-auth/client'
import type { dpop as clientDpop } from '@jwt-auth/client/dpop'
import type * as adapter from '@jwt-auth/core/adapter'
import type * as service from '@jwt-auth/express'
import type * as storageKnex from '@jwt-auth/storage-knex'
import type * as storageSql from '@jwt-auth/storage-sql'
import type * as testing from '@jwt-auth/testing'
import type express from 'express'
import type fastify from 'fastify'
import type { Knex } from 'knex'
import type koa from 'koa'
import type pg from 'pg'
import type supertest from 'supertest'
import type * as accountEmails from '../../../examples/account-emails/src/app.js'
import type { createLinksTable as createLinks } from '../../../examples/account-emails/src/email-links.js'
import type * as auditLog from '../../../examples/audit-log/src/audit-log.js'
import type { exchangeOldToken as exchange } from '../../../examples/migrations/src/exchange-old-token.js'
import type { exampleExecutor as executor } from '../../../packages/storage-sql/test/support/example-executor.js'

interface Row {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly role: string
  readonly passwordHash: string
}

type Service = service.JwtAuth<storageKnex.TableUser, { readonly role: string }>

declare global {
  // Exports of the packages and of the examples.
  const AuthClientError: typeof client.AuthClientError
  const createAuthClient: typeof client.createAuthClient
  const dpop: typeof clientDpop
  const localStorageTokenStore: typeof client.localStorageTokenStore
  const AuthError: typeof service.AuthError
  const hasScope: typeof service.hasScope
  const isAuthError: typeof service.isAuthError
  const jwtAuth: typeof service.jwtAuth
  const bcryptHasher: typeof service.bcryptHasher
  const canonicalUsername: typeof service.canonicalUsername
  const createHashingQueue: typeof service.createHashingQueue
  const hashPassword: typeof service.hashPassword
  const isBreachedPassword: typeof service.isBreachedPassword
  const passwordUsers: typeof service.passwordUsers
  const createUsersTable: typeof storageKnex.createUsersTable
  const knexStorage: typeof storageKnex.knexStorage
  const knexUsers: typeof storageKnex.knexUsers
  const sqlStorage: typeof storageSql.sqlStorage
  const attackRoutes: typeof testing.attackRoutes
  const claimEquals: typeof service.claimEquals
  const createTestAuth: typeof testing.createTestAuth
  const expectRoutesGuarded: typeof testing.expectRoutesGuarded
  const headersFor: typeof testing.headersFor
  const createAccountEmails: typeof accountEmails.createAccountEmails
  const createLinksTable: typeof createLinks
  const auditTo: typeof auditLog.auditTo
  const logTo: typeof auditLog.logTo
  const exchangeOldToken: typeof exchange
  const exampleExecutor: typeof executor

  // Exports of other packages.
  const Fastify: typeof fastify
  const Koa: typeof koa
  const cors: typeof import('cors')
  const Router: typeof express.Router
  const json: typeof express.json
  const pino: typeof import('pino').pino
  const request: typeof supertest

  // The service or the client, its options, and the request that it handles.
  const auth: Service & client.AuthClient & testing.TestAuth<storageKnex.TableUser>
  const options: service.JwtAuthOptions
  const secret: string
  const formerSecret: string
  const nextSecret: string
  const issuer: string
  const users: service.UserDirectory<Row>
  const storage: storageSql.SqlStorage
  const baseUrl: string
  const app: express.Express
  const server: import('node:http').Server
  const req: express.Request
  const res: express.Response
  const omitted: express.RequestHandler
  const body: string
  const userId: number
  const sessionId: string
  const token: string
  const username: string
  const email: string
  const password: string
  const former: service.KeyEntry
  const next: service.KeyEntry
  const fresh: import('node:crypto').KeyObject
  const publicPem: string
  const restoredAt: Date
  const authenticatedAt: Date
  const tokenOfTheRequest: string

  // The database of the application.
  const knex: Knex
  const pool: pg.Pool
  const table: string
  const columns: { readonly id: string; readonly username: string; readonly passwordHash: string }
  const db: {
    readonly findUser: (columns: Partial<Row>) => Promise<Row | undefined>
    readonly users: { readonly update: (id: number, columns: object) => Promise<void> }
  }
  const findByUsername: (username: string) => Promise<Row | undefined>
  const findById: (id: number) => Promise<Row | undefined>
  const findUserByIdentity: (issuer: string, subject: string) => Promise<Row | undefined>
  const deleteUser: (id: number) => Promise<void>
  const usersOf: (tenant: string) => service.UserDirectory<Row>

  // Other functions of the application and of its tests.
  const log: Record<'error' | 'info' | 'warn', (entry: unknown) => void>
  const mailer: accountEmails.AccountEmailsOptions<storageKnex.TableUser>['mailer']
  const createApp: <U extends service.User>(auth: testing.TestAuth<U>) => express.Express
  const finishLogin: (
    req: express.Request,
  ) => Promise<{ readonly issuer: string; readonly subject: string; readonly authTime: number }>
  const createCode: (login: ProvenLogin, res: express.Response) => Promise<string>
  const useCode: (code: unknown, req: express.Request) => Promise<ProvenLogin | undefined>
  interface ProvenLogin {
    readonly id: number
    readonly authTime: number
  }
  const isOwner: (userId: service.UserId, document: string) => boolean
  const isMember: (userId: service.UserId, tenant: string) => Promise<boolean>
  const isRightCode: (userId: service.UserId, code: unknown) => Promise<boolean>
  const mayEdit: service.Rule
  const render: (snapshot: client.AuthSnapshot) => void
  const show: (message: string) => void

  // The client of a key management service.
  const KeyId: string
  const SignCommand: new (request: { readonly KeyId: string; readonly Message: Uint8Array }) => object
  const kms: {
    readonly send: (
      command: object,
      options: { readonly abortSignal: AbortSignal | undefined },
    ) => Promise<{ readonly Signature: Uint8Array }>
  }

  // The store of a mobile app.
  const SecureStore: {
    readonly getItemAsync: (key: string) => Promise<string | null>
    readonly setItemAsync: (key: string, value: string) => Promise<void>
    readonly deleteItemAsync: (key: string) => Promise<void>
  }

  // The functions of an adapter and of its tests.
  const myStorage: (database: object) => service.SessionStorage
  const emptyDatabase: () => Promise<object>
  const createStorage: () => Promise<service.SessionStorage>
  const knownVersion: number
  const readVersions: (signal: AbortSignal | undefined) => Promise<adapter.SchemaVersions>
  const withoutBoundValues: (error: unknown) => Error
}
