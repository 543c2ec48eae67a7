import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { findFreePort } from '@jwt-auth/test-support'
import { breakOff, type Fault, joinConnection, type ProxiedConnection } from './proxied-connection.js'

/** A TCP proxy in front of a server. */
export interface FaultProxy {
  /** The URL of the server, with the host and port of the proxy. */
  readonly url: string
  /**
   * Sets the fault from now on. Resolves when it has taken effect. The proxy starts with `none`.
   */
  readonly setFault: (fault: Fault) => Promise<void>
  /** Connects later clients to the server at another URL. */
  readonly moveTo: (targetUrl: string) => void
  /** Returns the number of connections of clients. */
  readonly connections: () => number
  /** Describes each client in one line: its age, and the first and last text that it sent. */
  readonly describeClients: () => readonly string[]
  /** Resets every connection and stops listening. */
  readonly close: () => Promise<void>
}

const host = '127.0.0.1'

/**
 * Starts a proxy in front of the server at a URL of any protocol. Without a fault, the proxy resets
 * connections when the server cannot be reached.
 *
 * @example
 * const proxy = await startFaultProxy('postgres://postgres@127.0.0.1:5432/test')
 * await proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: 2_000 })
 */
export const startFaultProxy = async (targetUrl: string): Promise<FaultProxy> => {
  let target = new URL(targetUrl)
  const port = await findFreePort()
  const clients = createClientLog()
  const connections = new Set<ProxiedConnection>()
  let fault: Fault = { kind: 'none' }

  const join = (client: Socket): void => {
    const server = connect(Number(target.port), target.hostname)
    const onCut = (): void => {
      fault = { kind: 'none' }
    }
    const connection = joinConnection({ client, server, fault: () => fault, onCut })
    connections.add(connection)
    const forget = (): void => {
      if (client.destroyed && server.destroyed) connections.delete(connection)
    }
    client.once('close', forget)
    server.once('close', forget)
  }

  const accept = (client: Socket): void => {
    clients.add(client)
    client.on('error', () => {})
    if (fault.kind === 'reset') breakOff(client)
    else if (fault.kind === 'half-open') client.resume()
    else join(client)
  }

  const listener = await listen(port, accept)

  return {
    url: withPort(target, port),
    setFault: async (next) => {
      fault = next
      for (const connection of connections) connection.apply(next)
    },
    moveTo: (nextUrl) => {
      target = new URL(nextUrl)
    },
    connections: clients.count,
    describeClients: clients.describe,
    close: async () => {
      listener.close()
      for (const connection of connections) connection.reset()
      clients.destroyAll()
    },
  }
}

const listen = async (port: number, accept: (client: Socket) => void): Promise<Server> => {
  const listener = createServer(accept).listen(port, host)
  await once(listener, 'listening')
  return listener
}

const withPort = (target: URL, port: number): string => {
  const url = new URL(target)
  url.host = `${host}:${port}`
  return url.href
}

/** The present clients of a server, and what they sent. */
interface ClientLog {
  /** Adds a client. Removes it when its connection closes. */
  readonly add: (client: Socket) => void
  readonly count: () => number
  /** Describes each client in one line, for the message of a violation. */
  readonly describe: () => readonly string[]
  /** Destroys the connections of all clients. */
  readonly destroyAll: () => void
}

interface Entry {
  readonly connectedAt: number
  first: string
  last: string
}

const longestText = 80

/** Creates an empty log. */
const createClientLog = (): ClientLog => {
  const entries = new Map<Socket, Entry>()

  const add = (client: Socket): void => {
    const entry: Entry = { connectedAt: performance.now(), first: '', last: '' }
    entries.set(client, entry)
    client.once('close', () => entries.delete(client))
    client.on('data', (chunk: Buffer) => {
      entry.last = toPrintable(chunk)
      if (entry.first === '') entry.first = entry.last
    })
  }

  return {
    add,
    count: () => entries.size,
    describe: () => [...entries].map(describeEntry),
    destroyAll: () => {
      for (const client of entries.keys()) client.destroy()
    },
  }
}

const toPrintable = (chunk: Buffer): string =>
  chunk
    .toString('latin1')
    .replace(/[^ -~]+/g, ' ')
    .trim()
    .slice(0, longestText)

const describeEntry = ([client, { connectedAt, first, last }]: readonly [Socket, Entry]): string => {
  const age = `${Math.round(performance.now() - connectedAt)} ms old`
  return `port ${client.remotePort}, ${age}, first sent "${first}", last sent "${last}"`
}
