import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { findFreePort } from '@jwt-auth/test-support'
import { breakOff, type Fault, joinConnection, type ProxiedConnection } from './proxied-connection.js'

/** A TCP proxy in front of a server. */
export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

const host = '127.0.0.1'

/**
 * Starts a proxy in front of the server at a URL of any protocol. Without a fault, the proxy resets
 * connections when the server cannot be reached.
 *
 * @example
 * const proxy = await startFaultProxy('postgres://postgres@127.0.0.1:5432/test')
 * await proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: 2_000 })
 */
export const startFaultProxy = async (targetUrl: string) => {
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
    /** The URL of the server, with the host and port of the proxy. */
    url: Object.assign(new URL(targetUrl), { host: `${host}:${port}` }).href,
    /** Sets the fault from now on. Resolves when it has taken effect. The proxy starts with `none`. */
    setFault: async (next: Fault): Promise<void> => {
      fault = next
      for (const connection of connections) connection.apply(next)
    },
    /** Connects later clients to the server at another URL. */
    moveTo: (nextUrl: string): void => {
      target = new URL(nextUrl)
    },
    /** Returns the number of connections of clients. */
    connections: () => clients.size,
    /** Resets every connection and stops listening. */
    close: async (): Promise<void> => {
      listener.close()
      for (const connection of connections) connection.reset()
      for (const client of clients) client.destroy()
    },
  }
}
