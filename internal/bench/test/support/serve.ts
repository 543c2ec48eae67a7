import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'

/** Starts a server that ends with the test. Resolves to its URL. */
export const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return `http://127.0.0.1:${address.port}`
}
