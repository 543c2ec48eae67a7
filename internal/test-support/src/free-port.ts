import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that systems assign to outgoing connections. A client that reconnects to a stopped server could otherwise get
// the port of that server as its source port. It would then connect to itself, or the server could not start again.
const lowest = 15_000
const highest = 30_000

/** Resolves to a port of 127.0.0.1 where nothing listens, for a server that is stopped and started again. */
export const findFreePort = async (): Promise<number> => {
  const port = randomInt(lowest, highest)
  return (await canListen(port)) ? port : findFreePort()
}

const canListen = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
