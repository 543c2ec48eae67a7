import type { Fault, TestServer } from './test-server.js'

/** The cookie of one browser. Node's `fetch` has no cookies. */
export interface CookieJar {
  /** Returns the refresh token in the cookie. */
  readonly read: () => string | undefined
}

/** Sends the cookie with each request, as a browser does for a page of the same origin, and keeps what responses set. */
export const addCookieJar = (server: TestServer): CookieJar => {
  let cookie: string | undefined

  const useCookie: Fault = ({ req, res, proceed }) => {
    Object.assign(req.headers, { 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }) })
    const end = res.end.bind(res)
    Object.assign(res, {
      end: (text: string) => {
        const [set] = [res.getHeader('Set-Cookie')].flat()
        if (set !== undefined) cookie = String(set).includes('; Max-Age=0;') ? undefined : String(set).split(';')[0]
        end(text)
      },
    })
    return proceed()
  }
  server.always(useCookie)
  return { read: () => cookie?.split('=')[1] }
}
