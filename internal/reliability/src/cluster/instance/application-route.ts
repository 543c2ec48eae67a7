import type { RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { isAuthError, type JwtAuth } from '@jwt-auth/express'

/**
 * The path of the route through which tests call `sessions`: a POST with an {@link
 * ApplicationOrder}.
 */
export const applicationPath = '/application'

/** A call of `sessions`. */
export type ApplicationOrder =
  | { readonly kind: 'create' | 'list' | 'revoke-all' | 'purge'; readonly userId: number }
  | { readonly kind: 'revoke'; readonly userId: number; readonly sessionId: string }

interface OrderResponse {
  readonly status: number
  readonly body: object
}

/** Adds the application's route to a listener. The route responds as the routes of `jwtAuth` do. */
export const withApplicationRoute =
  ({ sessions }: Pick<JwtAuth, 'sessions'>, listener: RequestListener): RequestListener =>
  (req, res) => {
    if (req.url !== applicationPath) {
      listener(req, res)
      return
    }
    const readAndCarryOut = async (): Promise<OrderResponse> => {
      // The recorder of this package is the only client.
      const order = (await json(req)) as ApplicationOrder
      return carryOut(sessions, order).catch((error: unknown) => toFailure(error, order))
    }
    void readAndCarryOut().then(({ status, body }) => {
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    })
  }

const carryOut = async (sessions: JwtAuth['sessions'], order: ApplicationOrder): Promise<OrderResponse> => {
  switch (order.kind) {
    case 'create': {
      const { user, accessToken, refreshToken } = await sessions.create(order.userId)
      return done({ user_id: user.id, token: accessToken, refresh_token: refreshToken })
    }
    case 'revoke': {
      const outcome = await sessions.revoke(order)
      if (outcome === 'ended') return done({ outcome })
      const code = outcome === 'already-ended' ? 'jwt_auth_token_already_revoked' : 'jwt_auth_token_not_found'
      return { status: 403, body: { code } }
    }
    case 'revoke-all':
      return done({ count: await sessions.revokeAll(order.userId) })
    case 'list':
      return done({ count: (await sessions.list(order.userId)).length })
    case 'purge':
      return done({ count: await sessions.purge() })
  }
}

const done = (body: object): OrderResponse => ({ status: 200, body })

const toFailure = (error: unknown, { kind }: ApplicationOrder): OrderResponse => {
  const code = isAuthError(error) ? error.code : String(error)
  if (kind === 'revoke') return { status: 500, body: { code: 'jwt_auth_revoke_failed' } }
  return { status: code === 'jwt_auth_failed' ? 403 : 503, body: { code } }
}
