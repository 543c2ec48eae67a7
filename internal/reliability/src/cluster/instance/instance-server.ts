import { createServer, type RequestListener } from 'node:http'

/** An HTTP server that stops without resetting connections. */
export interface InstanceServer {
  readonly url: string
  /** Accepts no new connection, finishes the requests in progress, and closes each connection after its last response. */
  readonly stop: () => Promise<void>
}

const longestIdleMs = 120_000

/** Listens on a free port of 127.0.0.1. */
export const listen = async (listener: RequestListener): Promise<InstanceServer> => {
  const server = createServer()
  // Long enough that the server never closes an idle connection at the moment at which a client reuses it.
  server.keepAliveTimeout = longestIdleMs
  let isStopping = false
  server.on('request', (req, res) => {
    if (isStopping) res.setHeader('Connection', 'close')
    res.once('close', () => isStopping && server.closeIdleConnections())
    listener(req, res)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () => {
      isStopping = true
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
