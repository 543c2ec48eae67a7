import { text } from 'node:stream/consumers'
import { lifetimeSeconds, type TabClient } from '../tab-client.js'
import { createRotation } from './rotation.js'

/** Creates a stand-in server with the token endpoint of Auth0. */
export const createAuth0Server: TabClient['createServer'] = async (now) => {
  const sessions = createRotation(now)
  // The client reads the claims, and trusts the connection instead of the signature.
  const toIdToken = (host: string): string => {
    const seconds = Math.floor(now() / 1_000)
    const claims = { iss: `http://${host}/`, aud: 'bench', sub: '1', iat: seconds, exp: seconds + lifetimeSeconds }
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
    return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.c2lnbmF0dXJl`
  }
  return {
    respond: async (req, res) => {
      if (req.url === '/reports') {
        const isValid = sessions.isValid(req.headers.authorization?.replace('Bearer ', '') ?? '')
        return res.writeHead(isValid ? 200 : 401).end('report')
      }
      const form = new URLSearchParams(await text(req))
      const isRefresh = form.get('grant_type') === 'refresh_token'
      const tokens = isRefresh ? sessions.refresh(form.get('refresh_token') ?? '') : sessions.logIn()
      res.setHeader('Content-Type', 'application/json')
      if (tokens === undefined) return res.writeHead(403).end('{"error":"invalid_grant"}')
      return res.end(
        JSON.stringify({
          access_token: tokens.accessToken,
          refresh_token: tokens.refreshToken,
          id_token: toIdToken(req.headers.host ?? ''),
          token_type: 'Bearer',
          expires_in: lifetimeSeconds,
          scope: form.get('scope'),
        }),
      )
    },
    refreshPath: '/oauth/token',
    hasSession: sessions.hasSession,
  }
}
