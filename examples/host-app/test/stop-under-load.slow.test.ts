import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect } from 'vitest'
import { jane, logIn } from './support/client.js'
import type { ListeningProcess } from './support/host-process.js'
import { it } from './support/it.js'

// `SHUTDOWNS=20 npx vitest run examples/host-app/test/stop-under-load` is the longer run that docs/guide/start.md reports.
const shutdowns = Number(process.env['SHUTDOWNS'] ?? 3)

/** The results of the clients until the server accepted no new connection. */
interface LoadOutcome {
  readonly responses: number
  /** Requests without a complete response, by the error of the client, except for connections that were never established. */
  readonly failures: readonly string[]
}

interface Load {
  /** A token of a session that the load does not end. The load logs Jane in, and a user has a limited number of sessions. */
  readonly token: string
  /** Called with the number of responses so far. */
  readonly onResponse: (count: number) => void
}

const keptAliveClients = 12
const loginClients = 2
const pipeliningClients = 6

/** Sends requests from clients that keep their connections, and from clients that pipeline, until the server refuses connections. */
const runLoad = async ({ origin }: ListeningProcess, { token, onResponse }: Load): Promise<LoadOutcome> => {
  let responses = 0
  const failures: string[] = []
  const count = (received: number): void => {
    responses += received
    onResponse(responses)
  }
  const repeat = async (send: () => Promise<number>): Promise<void> => {
    try {
      for (;;) count(await send())
    } catch (error) {
      if (!isRefused(error)) failures.push(String(error))
    }
  }
  const agents = Array.from({ length: keptAliveClients + loginClients }, () => new Agent({ keepAlive: true }))
  await Promise.all([
    ...agents.map((agent, place) =>
      repeat(() => (place < keptAliveClients ? getReports(origin, agent, token) : logInJane(origin, agent))),
    ),
    ...Array.from({ length: pipeliningClients }, () => repeat(() => sendTwo(origin, token))),
  ])
  for (const agent of agents) agent.destroy()
  return { responses, failures }
}

// The connection was never established, so its request was not sent.
const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'connect'

const getReports = (origin: string, agent: Agent, token: string): Promise<number> =>
  exchange(request(`${origin}/api/reports`, { agent, headers: { Authorization: `Bearer ${token}` } }), '')

const logInJane = (origin: string, agent: Agent): Promise<number> =>
  exchange(
    request(`${origin}/jwt-auth/v1/token`, { method: 'POST', agent, headers: { 'Content-Type': 'application/json' } }),
    JSON.stringify({ username: jane.username, password: jane.password }),
  )

const exchange = async (outgoing: ReturnType<typeof request>, body: string): Promise<number> => {
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  incoming.resume()
  await once(incoming, 'end')
  if (incoming.statusCode !== 200) throw new Error(`The response is ${incoming.statusCode}.`)
  return 1
}

/** Sends two requests in one write on a new connection. */
const sendTwo = async (origin: string, token: string): Promise<number> => {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const reports = `GET /api/reports HTTP/1.1\r\nHost: site\r\nAuthorization: Bearer ${token}\r\n\r\n`
  socket.write(reports + reports)
  let received = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    received += String(chunk)
    if (received.split('HTTP/1.1 200').length === 3 && received.endsWith('}')) break
  }
  socket.destroy()
  const responses = received.split('HTTP/1.1 200').length - 1
  if (responses < 2) throw new Error(`The connection ended after ${responses} of 2 pipelined responses: ${received}`)
  return responses
}

describe('an example host that receives SIGTERM under load', () => {
  it.for(Array.from({ length: shutdowns }, (_, place) => place + 1))(
    'responds to every request that has arrived, and resets no connection: shutdown %i',
    async (_, { startProcess }) => {
      const host = await startProcess({ RATE_LIMIT: 'off' })
      const { token } = await logIn(host)
      let isStopped = false
      const { responses, failures } = await runLoad(host, {
        token,
        onResponse: (count) => {
          if (count < 200 || isStopped) return
          isStopped = true
          host.kill('SIGTERM')
        },
      })

      expect(failures).toStrictEqual([])
      expect(responses).toBeGreaterThan(200)
      expect(await host.ended).toMatchObject({ code: 0, stderr: '' })
    },
  )
})
