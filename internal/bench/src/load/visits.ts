import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { password } from '../world/sample-user.js'
import { createTally, type LoadResult } from './load-result.js'
import { type Send, sendOnSchedule } from './open-loop.js'

/** What a visitor does at an instance of the service. */
export type Visit = 'request' | 'login' | 'refresh'

type Step = Visit | 'revoke'

/** Requests of visitors, who have one session each, from many networks. */
export interface Visits {
  /** The instances, which receive the requests in turn. */
  readonly urls: readonly string[]
  readonly visit: Visit | 'journey'
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
  accessToken: string
  refreshToken: string
  cookie?: string
  readonly name?: string
}

const all: readonly Visitor[] = Array.from({ length: 1_000 }, () => ({ accessToken: '', refreshToken: '' }))
const agent = new Agent({ keepAlive: true })
let turn = 0

/** Runs a load. The visitors keep their tokens from one load to the next. */
export const runVisits = ({ urls, visit, visitors, ratePerSecond, ...loop }: Visits): Promise<LoadResult> => {
  const send: Send = (number) => {
    turn += 1
    const visitor = all[turn % visitors]
    if (visitor === undefined) throw new Error('There are at most 1,000 visitors.')
    const url = urls[number % urls.length] ?? ''
    return visit === 'journey' ? sendJourney(url, turn) : sendVisit(url, toRequest(visit, visitor, turn), visitor)
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

const journey: readonly Step[] = ['login', ...new Array<Step>(20).fill('request'), 'refresh', 'revoke']

// Responds with the first status that is not 200. The session of the journey must have ended then.
const sendJourney = async (url: string, turn: number): Promise<number> => {
  const visitor: Visitor = { accessToken: '', refreshToken: '', name: `user-${turn}@example.com` }
  for (const step of journey) {
    const status = await sendVisit(url, toRequest(step, visitor, turn), visitor)
    if (status !== 200) return status
  }
  if (turn > 1) return 200
  const status = await sendVisit(url, toRequest('request', visitor, turn), visitor)
  return status === 200 ? 0 : 200
}

interface VisitRequest {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const sendVisit = (url: string, { path, body, ...options }: VisitRequest, visitor: Visitor): Promise<number> =>
  new Promise((resolve) => {
    request(`${url}${path}`, { agent, ...options })
      .once('error', () => resolve(0))
      .once('response', async (response) => {
        const received = await text(response).catch(() => '')
        if (body !== undefined && response.statusCode === 200) {
          const { token = visitor.accessToken, refresh_token: refreshToken } = JSON.parse(received)
          const [cookie = visitor.cookie] = response.headers['set-cookie'] ?? []
          Object.assign(visitor, { accessToken: token, refreshToken, cookie: cookie?.split(';')[0] })
        }
        resolve(response.complete ? (response.statusCode ?? 0) : 0)
      })
      .end(body)
  })

const toRequest = (visit: Step, visitor: Visitor, turn: number): VisitRequest => {
  const { accessToken, refreshToken, cookie } = visitor
  const headers = {
    'x-forwarded-for': `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn & 255}`,
    ...(visit !== 'login' && { authorization: `Bearer ${accessToken}` }),
    ...(cookie !== undefined && { cookie }),
  }
  if (visit === 'request') return { path: '/', method: 'GET', headers }
  if (visit === 'revoke') return { path: '/jwt-auth/v1/token/revoke', method: 'POST', headers }
  // Each login is the first one of its user, so that no login finds more sessions than another.
  const { name = `user-${process.pid * 1_000_000 + turn}` } = visitor
  const login = { username: name, email: name, password }
  return {
    path: visit === 'login' ? '/jwt-auth/v1/token' : '/jwt-auth/v1/token/refresh',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(visit === 'login' ? login : { refresh_token: refreshToken }),
  }
}
