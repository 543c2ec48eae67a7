/** Clients that take journeys, one after another. */
export interface Journeys {
  readonly url: string
  readonly clients: number
  readonly seconds: number
  /** Ends after this many journeys instead of after `seconds`. */
  readonly amount?: number
}

/** The routes of every contender. */
export const routes = {
  login: '/jwt-auth/v1/token',
  refresh: '/jwt-auth/v1/token/refresh',
  revoke: '/jwt-auth/v1/token/revoke',
} as const

/** Returns the address of a client. Every turn has another one. */
export const toAddress = (turn: number): string => `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn & 255}`

let taken = 0

/** Runs a load of journeys. Rejects when a response has another status than expected. */
export const runJourneys = async ({ url, clients, seconds, amount }: Journeys) => {
  const startedAt = performance.now()
  const first = taken
  const isDue = (): boolean =>
    amount === undefined ? performance.now() < startedAt + seconds * 1_000 : taken - first < amount
  const act = async (): Promise<void> => {
    while (isDue()) {
      taken += 1
      await takeJourney(url, taken)
    }
  }
  await Promise.all(Array.from({ length: clients }, act))
  return { journeys: taken - first, seconds: (performance.now() - startedAt) / 1_000 }
}

interface Step {
  readonly token?: string
  readonly body?: object
  readonly status?: number
}

// Each journey has another user, so that no login finds more sessions than another.
const takeJourney = async (url: string, turn: number): Promise<void> => {
  const send = async (path: string, { token = '', body, status = 200 }: Step) => {
    const response = await fetch(`${url}${path}`, {
      method: path === '/' ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        // better-auth refuses a request of `fetch` from another origin.
        origin: 'http://127.0.0.1',
        'x-forwarded-for': toAddress(turn),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== status) throw new Error(`${path} responded with ${response.status} to journey ${turn}.`)
    return body === undefined ? {} : JSON.parse(text)
  }
  const name = `user-${turn}@example.com`
  const opened = await send(routes.login, { body: { username: name, email: name, password: 'unused' } })
  for (let count = 0; count < 20; count += 1) await send('/', opened)
  const { token = opened.token } = await send(routes.refresh, { ...opened, body: opened })
  await send(routes.revoke, { token })
  if (turn === 1) await send('/', { token, status: 401 })
}
