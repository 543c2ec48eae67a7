import type { ServerResponse } from 'node:http'
import { type Fault, paths, type TestServer } from './test-server.js'

/**
 * The cookie of one browser, and the half of the server that reads and sets it. Node's `fetch` has no cookies. The server issues and
 * accepts refresh tokens as always.
 */
export interface CookieJar {
  readonly read: () => string | undefined
}

/** Lets requests with the header of the cookie transport carry their refresh token in a cookie. */
export const addCookieJar = (server: TestServer): CookieJar => {
  let cookie: string | undefined

  const useCookie: Fault = ({ req, res, proceed }) => {
    if (req.headers['x-jwt-auth-transport'] !== 'cookie') return proceed()
    if (req.url === paths.refresh) {
      if (Reflect.get(req, 'body') !== '{}') throw new Error('a refresh with the cookie has an empty body')
      Object.assign(req, { body: JSON.stringify({ refresh_token: cookie ?? 'no cookie' }) })
    }
    onEnd(res, (text) => {
      if (res.statusCode !== 200) return text
      if (req.url === paths.revoke) cookie = undefined
      const { refresh_token, ...body } = JSON.parse(text)
      if (req.url !== paths.revoke) cookie = refresh_token
      return JSON.stringify(body)
    })
    return proceed()
  }
  server.always(useCookie)
  return { read: () => cookie }
}

const onEnd = (res: ServerResponse, change: (text: string) => string): void => {
  const end = res.end.bind(res)
  Object.assign(res, {
    end: (text: string) => {
      const changed = change(text)
      res.setHeader('Content-Length', Buffer.byteLength(changed))
      end(changed)
    },
  })
}
