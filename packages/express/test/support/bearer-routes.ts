import { bearer } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'
import { expect } from 'vitest'
import { type ContractResponse, expectResponse } from './expected-responses.js'
import type { TestHost } from './test-host.js'
import { adaFields } from './test-users.js'

/** A route on which a client presents an access token. */
export interface BearerRoute {
  readonly method: string
  readonly path: string
  /** The response body for ada. */
  readonly success: object
}

/** The body of `GET /me` for ada. */
export const adaAtMe = {
  ...adaFields,
  id: 7,
  email: 'ada@example.com',
  slug: 'ada-lovelace',
  name: 'Ada Lovelace',
  link: '',
}

const valid = { code: 'jwt_auth_valid_token', data: { status: 200 } }

/** The routes that share one check. */
const checkingRoutes: readonly BearerRoute[] = [
  { method: 'POST', path: '/jwt-auth/v1/token/validate', success: valid },
  { method: 'POST', path: '/jwt-auth/v1/validate', success: valid },
  { method: 'GET', path: '/jwt-auth/v1/me', success: adaAtMe },
  { method: 'GET', path: '/reports', success: { userId: 7 } },
]

/** Every route that reads the bearer header. The last one revokes. */
export const bearerRoutes: readonly BearerRoute[] = [
  ...checkingRoutes,
  {
    method: 'POST',
    path: '/jwt-auth/v1/token/revoke',
    success: { code: 'jwt_auth_token_revoked', data: { status: 200, revoked_at: '2030-01-02 03:04:05' } },
  },
]

/** Expects every checking route to accept the token of ada. */
export const expectAccepted = async ({ send }: TestHost, token: string): Promise<void> => {
  for (const { method, path, success } of checkingRoutes) {
    const { status, text } = await send(method, path, bearer(token))
    expect({ route: `${method} ${path}`, status, body: parseJson(text) }).toStrictEqual({
      route: `${method} ${path}`,
      status: 200,
      body: success,
    })
  }
}

/** Expects every checking route to refuse a token with the same response. */
export const expectRefused = async ({ send }: TestHost, token: string, expected: ContractResponse): Promise<void> => {
  for (const { method, path } of checkingRoutes) expectResponse(await send(method, path, bearer(token)), expected)
}
