import { createServer, type RequestListener } from 'node:http'

/** Listens on a free port of 127.0.0.1. Resolves to the URL. */
export const listen = async (listener: RequestListener): Promise<string> => {
  // Long enough that no connection closes at the moment at which a client reuses it.
  const server = createServer({ keepAliveTimeout: 120_000 }, listener)
  await new Promise<void>((resolve) => {
    // Long enough for any burst, since the bench does not measure the listen queue.
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return `http://127.0.0.1:${address.port}`
}
