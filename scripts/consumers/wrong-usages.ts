// Compiled by types.mjs, never run: TypeScript refuses each line below a comment, with a message that
// contains the text of the comment. The same mistakes at run time: packages/express/test/wrong-use.test.ts.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { jwtAuth, passwordUsers, type SessionStorage, type UserDirectory } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'

declare const req: IncomingMessage
declare const res: ServerResponse
declare const users: UserDirectory<{ id: number; email: string; role: 'admin' | 'reader' }>
declare const storage: SessionStorage

const required = { secret: 'a', issuer: 'https://api.example.com', users, storage }
const auth = jwtAuth({ ...required, claims: ({ role }) => ({ role }) })

export const wrong = async () => {
  // 'accessTokenLifetime' does not exist in type 'JwtAuthOptions<
  jwtAuth({ ...required, accessTokenLifetime: 60 })
  // 'system' does not exist in type 'JwtAuthOptions<
  jwtAuth({ ...required, system: { now: () => 0 } })
  // => SessionStorage' is not assignable to type 'SessionStorage'.
  jwtAuth({ ...required, storage: memoryStorage })
  // Property 'secret' is missing
  jwtAuth({ issuer: 'https://api.example.com', users, storage })
  // Property 'passwordHash' is missing
  passwordUsers({ findByUsername: async () => ({ id: 1, email: 'a@example.com' }), findById: async () => undefined })
  // Property 'email' is missing
  passwordUsers({ findByUsername: async () => ({ id: 1, passwordHash: '' }), findById: async () => undefined })
  // 'alow' does not exist in type 'GuardOptions<
  auth.guard({ alow: () => true })
  // Type '() => boolean' has no properties in common with type 'GuardOptions<
  auth.guard(() => true)
  // 'role' does not exist in type 'GuardOptions<
  auth.guard({ role: 'admin' })
  // the types '"admin" | "reader"' and '"editor"' have no overlap.
  auth.guard({ allow: ({ claims }) => claims.role === 'editor' })
  // Property 'params' does not exist on type 'IncomingMessage'.
  auth.guard({ allow: (_, req) => req.params.id === '7' })
  // Did you mean 'role'?
  auth.getAuth(req).claims.rol
  // Object is possibly 'undefined'.
  auth.getOptionalAuth(req).userId
  // 'username' does not exist in type 'IncomingMessage'.
  await auth.login({ username: 'ann', password: 'a' }, req)
  // Property 'id' does not exist on type 'Promise<
  auth.requirePassword(req, 'a').id
  // Property 'durationSeconds' is missing
  await auth.limit(req, 'code', { points: 5 })
  // type 'AuthenticationResult<User>'
  auth.sendTokens(res, auth.openSession(req, 1))
  // Argument of type 'string' is not assignable to parameter of type 'number'.
  await auth.sessions.create('1')
  // Expected 2 arguments, but got 1.
  await auth.sessions.revoke({ userId: 1, sessionId: 'a' })
  // has no properties in common with type '{ readonly reason?: string | undefined; }'.
  await auth.sessions.revokeAll(1, 'password_changed')
}
