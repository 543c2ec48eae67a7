import { createServer, type RequestListener } from 'node:http'
import { listen } from '@jwt-auth/test-support'
import { onTestFinished } from 'vitest'

/** Starts a server that ends with the test. Resolves to its URL. */
export const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  const port = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${port}`
}
