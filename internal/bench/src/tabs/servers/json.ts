import { json } from 'node:stream/consumers'
import type { TabClient } from '../tab-client.js'
import { createRotation, type IssuedTokens } from './rotation.js'

const prefix = '/jwt-auth/v1/token'

/** Creates a stand-in server with tokens in JSON bodies. */
export const createJsonServer: TabClient['createServer'] = async (now) => {
  const sessions = createRotation(now)
  const toBody = ({ accessToken, refreshToken }: IssuedTokens): string =>
    JSON.stringify({ token: accessToken, refresh_token: refreshToken })
  return {
    respond: async (req, res) => {
      if (req.url === '/reports') {
        const isValid = sessions.isValid(req.headers.authorization?.replace('Bearer ', '') ?? '')
        return res.writeHead(isValid ? 200 : 401).end('report')
      }
      const isRefresh = req.url === `${prefix}/refresh`
      const tokens = isRefresh ? sessions.refresh(Object(await json(req)).refresh_token) : sessions.logIn()
      res.setHeader('Content-Type', 'application/json')
      return tokens ? res.end(toBody(tokens)) : res.writeHead(403).end('{}')
    },
    refreshPath: `${prefix}/refresh`,
    hasSession: sessions.hasSession,
  }
}
