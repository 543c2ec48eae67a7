import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { listen } from '@jwt-auth/test-support'
import { selfSigned } from '@jwt-auth/test-support/certificate'
import { type Fault, type NextFault, noFaults } from './faults.js'
import { stop } from './service.js'

/**
 * The time of a scenario: of the server, the network and the device. It stands still until the
 * scenario moves it.
 */
export interface World {
  /** Returns the milliseconds since the start of the scenario. */
  readonly elapsedMs: () => number
  /** Returns the time of the server in milliseconds since 1970. */
  readonly now: () => number
  readonly moveTo: (elapsedMs: number) => void
}

const start = Date.UTC(2030, 0, 2, 3, 4, 5)

export const createWorld = (): World => {
  let elapsed = 0
  return {
    elapsedMs: () => elapsed,
    now: () => start + elapsed,
    moveTo: (elapsedMs) => {
      elapsed = elapsedMs
    },
  }
}

/**
 * The network between a browser and a service, as a proxy that also serves the page of the tabs.
 */
export interface Network {
  readonly port: number
  /** Connects the network to the port of the service. */
  readonly connect: (servicePort: number) => void
  /** The requests to the service so far. */
  readonly requests: readonly SeenRequest[]
  /** Replaces the faults from the next request on. */
  readonly setFaults: (next: NextFault) => void
  /** Lets the exchanges continue whose time has come. */
  readonly release: () => void
  readonly read: () => NetworkActivity
  /**
   * Returns the largest number of refresh requests in flight since the last call, as the browser
   * sees them.
   */
  readonly takeMostInFlight: () => number
  readonly close: () => Promise<void>
}

/** A request to the service, and its response. */
export interface SeenRequest {
  readonly method: string
  /** The header `Sec-Fetch-Site`. */
  readonly site: string | undefined
  readonly hasCookie: boolean
  /** The status of the response, and whether the response sets a cookie. */
  readonly status: number
  readonly setsCookie: boolean
}

/** What happens in the network. */
export interface NetworkActivity {
  /** The number of events so far. */
  readonly steps: number
  /** The exchanges that neither the time nor the browser has to continue. */
  readonly working: number
  /** The exchanges that wait for a time, and whose response the browser awaits. */
  readonly held: number
  readonly nextDueMs: number | undefined
}

interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

interface NetworkSetup {
  readonly world: World
  /** The script of the page. */
  readonly script: string
  /** What the page runs before the script. */
  readonly prelude: string
  /** Whether the servers speak TLS. */
  readonly isSecure: boolean
  /** Returns whether a host is that of the service. All other hosts have nothing but the page. */
  readonly isServiceHost: (host: string) => boolean
}

const refreshPath = '/jwt-auth/v1/token/refresh'

/** Starts the network. The caller must close it. */
export const startNetwork = async ({ world, script, prelude, ...setup }: NetworkSetup): Promise<Network> => {
  const { isSecure, isServiceHost } = setup
  const waits = new Set<{ readonly dueMs: number; readonly proceed: () => void }>()
  const held = new Set<ServerResponse>()
  const refreshes = new Set<ServerResponse>()
  const requests: SeenRequest[] = []
  let servicePort = 0
  let nextFault = noFaults
  let steps = 0
  let working = 0
  let mostInFlight = 0

  // A browser that aborts a request ends the connection. Node.js closes the response later, maybe
  // after the next request arrives.
  const countInFlight = (): number => [...refreshes].filter(({ req }) => !req.socket.readableEnded).length

  /** Waits until the world has moved on. The browser may await the response. */
  const waitFor = async (delayMs: number, res?: ServerResponse): Promise<void> => {
    if (delayMs === 0) return
    working--
    if (res) held.add(res)
    steps++
    await new Promise<void>((proceed) => waits.add({ dueMs: world.elapsedMs() + delayMs, proceed }))
    steps++
    if (res) held.delete(res)
    working++
  }

  const cause = async (fault: Fault, forward: () => Promise<Reply>, res: ServerResponse): Promise<void> => {
    await waitFor(fault.delayRequestMs ?? 0, res)
    if (fault.loses === 'request') return breakConnection(res)
    if (fault.replaces) return void res.writeHead(fault.replaces.status, fault.replaces.headers).end('<title>Sorry')
    let reply = await forward()
    const { duplicatesAfterMs } = fault
    if (duplicatesAfterMs !== undefined && fault.respondsTwice) {
      await waitFor(duplicatesAfterMs, res)
      reply = await forward()
    } else if (duplicatesAfterMs !== undefined) {
      void work(async () => {
        await waitFor(duplicatesAfterMs)
        await forward()
      })
    }
    await waitFor(fault.delayResponseMs ?? 0, res)
    if (fault.loses === 'response') return breakConnection(res)
    res.writeHead(reply.status, reply.headers)
    if (fault.loses !== 'half of the response') return void res.end(reply.body)
    res.write(reply.body.subarray(0, reply.body.length / 2), () => breakConnection(res))
  }

  const work = async (run: () => Promise<unknown>): Promise<void> => {
    working++
    steps++
    try {
      await run()
    } finally {
      working--
      steps++
    }
  }

  const listener: RequestListener = (req, res) => {
    if (req.url === '/') return res.setHeader('Content-Type', 'text/html').end(toPage(prelude))
    if (req.url === '/tab.js') return res.setHeader('Content-Type', 'text/javascript').end(script)
    if (req.url === '/favicon.ico' || !isServiceHost(req.headers.host ?? '')) return res.writeHead(404).end()
    res.once('close', () => {
      steps++
      held.delete(res)
      refreshes.delete(res)
    })
    const isRefresh = req.url === refreshPath
    if (isRefresh) {
      refreshes.add(res)
      mostInFlight = Math.max(mostInFlight, countInFlight())
    }
    return work(async () => {
      const body = await buffer(req)
      const forward = async (): Promise<Reply> => {
        const reply = await forwardTo(servicePort, req, body)
        requests.push(toSeenRequest(req, reply))
        return reply
      }
      await cause(nextFault(isRefresh), forward, res)
    })
  }
  const server = isSecure ? createTlsServer(selfSigned, listener) : createServer(listener)
  const port = await listen(server)

  return {
    port,
    connect: (port) => {
      servicePort = port
    },
    requests,
    setFaults: (next) => {
      nextFault = next
    },
    release: () => {
      for (const wait of waits) {
        if (wait.dueMs > world.elapsedMs()) continue
        waits.delete(wait)
        wait.proceed()
      }
    },
    read: () => ({
      steps,
      working,
      held: [...held].filter((res) => !res.destroyed).length,
      nextDueMs: waits.size === 0 ? undefined : Math.min(...[...waits].map(({ dueMs }) => dueMs)),
    }),
    takeMostInFlight: () => {
      const taken = mostInFlight
      mostInFlight = countInFlight()
      return taken
    },
    close: () => stop(server),
  }
}

const toPage = (prelude: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Tab</title><script>${prelude}</script><script src="/tab.js"></script>`

const breakConnection = (res: ServerResponse): void => void res.destroy()

const forwardTo = (port: number, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers }, async (response) => {
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, body: await buffer(response) })
    })
    forwarded.on('error', reject).end(body)
  })

const toSeenRequest = ({ method = '', headers }: IncomingMessage, reply: Reply): SeenRequest => ({
  method,
  site: readText(headers['sec-fetch-site']),
  hasCookie: headers.cookie !== undefined,
  status: reply.status,
  setsCookie: reply.headers['set-cookie'] !== undefined,
})

const readText = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.join()
