import { expect } from 'vitest'
import type { DemoUser, JsonResponse, Tokens } from './client.js'

export const success = (body: object): JsonResponse => ({ status: 200, body })

export const noContent: JsonResponse = { status: 204, body: undefined }

/** The shape of every error. */
const failure = (status: number, code: string, message: string): JsonResponse => ({
  status,
  body: { code, message, data: { status } },
})

/** An error of the routes of the site, with any message. */
export const hostFailure = (status: number): JsonResponse => ({
  status,
  body: { code: expect.any(String), message: expect.any(String), data: { status } },
})

export const badParameters = (fault: 'Missing' | 'Invalid', ...params: readonly string[]): JsonResponse => ({
  status: 400,
  body: {
    code: 'jwt_auth_invalid_request',
    message: `${fault} parameter(s): ${params.join(', ')}`,
    data: { status: 400, params },
  },
})

export const invalidToken = failure(401, 'jwt_auth_invalid_token', 'Invalid token.')

export const loginFailed = failure(403, 'jwt_auth_failed', 'Invalid credentials.')

export const invalidRefreshToken = failure(403, 'jwt_auth_invalid_refresh_token', 'Invalid refresh token.')

export const tokenRevoked = success({
  code: 'jwt_auth_token_revoked',
  data: { status: 200, revoked_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
})

/** The response to a login or a refresh. */
export const authenticated = (user: DemoUser, tokens: Tokens, expiresIn = 3_600): JsonResponse =>
  success({
    token: tokens.token,
    user_id: user.id,
    user_email: user.email,
    user_nicename: user.nicename,
    user_display_name: user.displayName,
    refresh_token: tokens.refreshToken,
    access_token: tokens.token,
    token_type: 'Bearer',
    expires_in: expiresIn,
  })

/** The response of `GET /api/reports`. */
export const reportsFor = (user: DemoUser): JsonResponse => success({ user_id: user.id, reports: expect.any(Array) })
