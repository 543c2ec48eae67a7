import autocannon from 'autocannon'

/** Requests at the rate of the responses: each connection sends the next request after a response. */
export interface ClosedLoop {
  readonly url: string
  /** Sent in turn. No two connections send the same token. */
  readonly tokens: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Ends after this many requests instead of after `seconds`. */
  readonly amount?: number
}

/** Runs a closed loop. Rejects when a response is missing or has another status than 200. */
export const runClosedLoop = async ({ url, tokens, connections, seconds, amount }: ClosedLoop) => {
  let clients = 0
  const { requests, duration, errors, non2xx } = await autocannon({
    url,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    sampleInt: Math.min(1_000, Math.ceil(seconds * 500)),
    setupClient: (client) => {
      const first = clients
      const own = tokens.filter((_, place) => place % connections === first)
      client.setRequests(own.map((token) => ({ method: 'GET', headers: { authorization: `Bearer ${token}` } })))
      clients += 1
    },
  })
  if (requests.total === 0 || errors + non2xx > 0) throw new Error(`${errors + non2xx} of ${requests.total} failed.`)
  return { requests: requests.total, seconds: duration }
}
