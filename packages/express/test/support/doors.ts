import { expect } from 'vitest'
import { type ContractAnswer, expectAnswer } from './expected-answers.js'
import { bearer } from './flows.js'
import { parseJson } from './read-json.js'
import type { TestHost } from './test-host.js'
import { adaFields } from './test-users.js'

/** A place where a client presents an access token. */
export interface Door {
  readonly method: string
  readonly path: string
  /** What ada finds behind it. */
  readonly welcome: object
}

/** The body with which `GET /me` answers ada. */
export const adaAtMe = {
  ...adaFields,
  id: 7,
  email: 'ada@example.com',
  slug: 'ada-lovelace',
  name: 'Ada Lovelace',
  link: '',
}

const valid = { code: 'jwt_auth_valid_token', data: { status: 200 } }

/** The doors behind which one and the same check stands. */
const checkingDoors: readonly Door[] = [
  { method: 'POST', path: '/jwt-auth/v1/token/validate', welcome: valid },
  { method: 'POST', path: '/jwt-auth/v1/validate', welcome: valid },
  { method: 'GET', path: '/jwt-auth/v1/me', welcome: adaAtMe },
  { method: 'GET', path: '/reports', welcome: { userId: 7 } },
]

/** Every door that reads the bearer header; the last one revokes. */
export const bearerDoors: readonly Door[] = [
  ...checkingDoors,
  {
    method: 'POST',
    path: '/jwt-auth/v1/token/revoke',
    welcome: { code: 'jwt_auth_token_revoked', data: { status: 200, revoked_at: '2030-01-02 03:04:05' } },
  },
]

/** Expects every checking door to let ada in. */
export const expectLetIn = async ({ send }: TestHost, token: string): Promise<void> => {
  for (const { method, path, welcome } of checkingDoors) {
    const { status, text } = await send(method, path, bearer(token))
    expect({ door: `${method} ${path}`, status, body: parseJson(text) }).toStrictEqual({
      door: `${method} ${path}`,
      status: 200,
      body: welcome,
    })
  }
}

/** Expects every checking door to refuse a token in the same words. */
export const expectRefused = async ({ send }: TestHost, token: string, expected: ContractAnswer): Promise<void> => {
  for (const { method, path } of checkingDoors) expectAnswer(await send(method, path, bearer(token)), expected)
}
