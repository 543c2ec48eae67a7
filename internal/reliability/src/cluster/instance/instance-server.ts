import { createServer, type RequestListener } from 'node:http'

/** An HTTP server that leaves properly. */
export interface InstanceServer {
  readonly url: string
  /** Takes nothing new, finishes what is under way, and closes each connection behind its last answer. */
  readonly stop: () => Promise<void>
}

const longestIdleMs = 120_000

/** Listens on a free port of the loopback address. */
export const listen = async (listener: RequestListener): Promise<InstanceServer> => {
  const server = createServer()
  // A client must not find its idle connection closed in the very moment in which it uses it again.
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
