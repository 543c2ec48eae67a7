import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
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
  const clients = new Set<Socket>()
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
    client.once('close', () => clients.delete(client))
    client.on('error', () => {})
    if (fault.kind === 'reset') breakOff(client)
    else if (fault.kind === 'half-open') client.resume()
    else join(client)
  }

  const listener = createServer(accept).listen(port, host)
  await once(listener, 'listening')
  return {
    url: Object.assign(new URL(targetUrl), { host: `${host}:${port}` }).href,
    setFault: async (next) => {
      fault = next
      for (const connection of connections) connection.apply(next)
    },
    moveTo: (nextUrl) => {
      target = new URL(nextUrl)
    },
    connections: () => clients.size,
    close: async () => {
      listener.close()
      for (const connection of connections) connection.reset()
      for (const client of clients) client.destroy()
    },
  }
}
