import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TabClient } from '../tab-client.js'
import { createRotation, type IssuedTokens } from './rotation.js'

/** Creates a stand-in server with the cookies and headers of SuperTokens. */
export const createSuperTokensServer: TabClient['createServer'] = async (now) => {
  const sessions = createRotation(now)
  const send = (res: ServerResponse, { accessToken, refreshToken, expiresAtMs }: IssuedTokens): void => {
    const front = { uid: '1', ate: expiresAtMs, up: {} }
    res.writeHead(200, {
      'Set-Cookie': [
        `sAccessToken=${accessToken}; Path=/; HttpOnly; SameSite=Lax`,
        `sRefreshToken=${refreshToken}; Path=/auth/session/refresh; HttpOnly; SameSite=Lax`,
      ],
      'front-token': Buffer.from(JSON.stringify(front)).toString('base64'),
      'anti-csrf': randomUUID(),
    })
    res.end('{"status":"OK"}')
  }
  return {
    respond: (req, res) => {
      if (req.url === '/auth/signin') return send(res, sessions.logIn())
      if (req.url === '/auth/session/refresh') {
        const tokens = sessions.refresh(readCookie(req, 'sRefreshToken'))
        // The client removes its session after this header.
        return tokens ? send(res, tokens) : res.writeHead(401, { 'front-token': 'remove' }).end('{}')
      }
      return res.writeHead(sessions.isValid(readCookie(req, 'sAccessToken')) ? 200 : 401).end('report')
    },
    refreshPath: '/auth/session/refresh',
    hasSession: sessions.hasSession,
  }
}

const readCookie = ({ headers }: IncomingMessage, name: string): string =>
  new RegExp(`(?:^|; )${name}=([^;]+)`).exec(headers.cookie ?? '')?.[1] ?? ''
