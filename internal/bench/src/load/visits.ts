import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { password } from '../world/sample-user.js'
import { createTally, type LoadResult } from './load-result.js'
import { type Send, sendOnSchedule } from './open-loop.js'

/** What a visitor does at an instance of the service. */
export type Visit = 'request' | 'login' | 'refresh'

/** Requests of visitors, who have their own user, session and address. */
export interface Visits {
  /** The instances, which receive the requests in turn. */
  readonly urls: readonly string[]
  readonly visit: Visit
  /** The number of visitors who take turns, at most 1,000. */
  readonly visitors: number
  /** The requests at independent random moments. Without it, see `clients`. */
  readonly ratePerSecond?: number
  /** How many clients send a request after each response, when there is no rate. */
  readonly clients: number
  readonly seconds: number
  /** Ends after this many requests instead of after `seconds`. Only without a rate. */
  readonly amount?: number
}

interface Visitor {
  readonly username: string
  readonly address: string
  accessToken: string
  refreshToken: string
}

const all: readonly Visitor[] = Array.from({ length: 1_000 }, (_, place) => ({
  username: `user-${place + 1}`,
  address: `10.0.${place >> 8}.${place & 255}`,
  accessToken: '',
  refreshToken: '',
}))
const agent = new Agent({ keepAlive: true })
let turn = 0

/** Runs a load. The visitors keep their tokens from one load to the next. */
export const runVisits = ({ urls, visit, visitors, ratePerSecond, ...loop }: Visits): Promise<LoadResult> => {
  const send: Send = (number) => {
    turn += 1
    return sendVisit(urls[number % urls.length] ?? '', visit, all[turn % visitors])
  }
  return ratePerSecond === undefined
    ? runClients(loop, send)
    : sendOnSchedule({ ratePerSecond, seconds: loop.seconds, patienceSeconds: 5, isRandom: true }, send)
}

const runClients = async (
  { clients, seconds, amount }: Pick<Visits, 'clients' | 'seconds' | 'amount'>,
  send: Send,
): Promise<LoadResult> => {
  const tally = createTally()
  const startedAt = performance.now()
  let sent = 0
  const isDue = (now: number): boolean => (amount === undefined ? now < startedAt + seconds * 1000 : sent < amount)
  const act = async (): Promise<void> => {
    for (let now = performance.now(); isDue(now); now = performance.now()) {
      sent += 1
      tally.add(await send(sent), performance.now() - now)
    }
  }
  await Promise.all(Array.from({ length: clients }, act))
  return tally.read((performance.now() - startedAt) / 1000)
}

const sendVisit = (url: string, visit: Visit, visitor: Visitor | undefined): Promise<number> =>
  new Promise((resolve) => {
    if (visitor === undefined) throw new Error('There are no visitors.')
    const { path, method, body, headers } = toRequest(visit, visitor)
    request(`${url}${path}`, { agent, method, headers: { 'x-forwarded-for': visitor.address, ...headers } })
      .once('error', () => resolve(0))
      .once('response', async (response) => {
        const received = await text(response).catch(() => '')
        if (visit !== 'request' && response.statusCode === 200) {
          const { token, refresh_token: refreshToken } = JSON.parse(received)
          Object.assign(visitor, { accessToken: token, refreshToken })
        }
        resolve(response.complete ? (response.statusCode ?? 0) : 0)
      })
      .end(body)
  })

const toRequest = (visit: Visit, { username, accessToken, refreshToken }: Visitor) => {
  if (visit === 'request') return { path: '/', method: 'GET', headers: { authorization: `Bearer ${accessToken}` } }
  const path = visit === 'login' ? '/jwt-auth/v1/token' : '/jwt-auth/v1/token/refresh'
  const body = JSON.stringify(visit === 'login' ? { username, password } : { refresh_token: refreshToken })
  return { path, method: 'POST', headers: { 'content-type': 'application/json', 'content-length': body.length }, body }
}
