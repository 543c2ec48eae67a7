import { randomBytes } from 'node:crypto'
import autocannon from 'autocannon'
import { routes, toAddress } from './journeys.js'

/** Requests that the server should not let delay others. Each connection sends without a pause. */
export interface Flood {
  readonly url: string
  readonly kind: 'logins' | 'unknown refresh tokens'
  readonly connections: number
  readonly seconds: number
}

/** Runs a flood. Each request comes from another network. Resolves to how many responses have each status. */
export const runFlood = async ({
  url,
  kind,
  connections,
  seconds,
}: Flood): Promise<Readonly<Record<string, number>>> => {
  let turn = 0
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    turn += 1
    const body =
      kind === 'logins'
        ? { username: `user-${turn}`, password: 'another password' }
        : { refresh_token: `jwtauth_rt_${randomBytes(48).toString('base64url')}` }
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': toAddress(turn) }
    return { ...request, headers, body: JSON.stringify(body) }
  }
  const path = kind === 'logins' ? routes.login : routes.refresh
  const { statusCodeStats = {}, errors } = await autocannon({
    ...{ url: `${url}${path}`, connections, duration: seconds },
    requests: [{ method: 'POST', setupRequest }],
  })
  const counts = Object.entries(statusCodeStats).map(([status, stats]) => [status, Number(Object(stats).count)])
  return { ...Object.fromEntries(counts), ...(errors > 0 && { errors }) }
}
