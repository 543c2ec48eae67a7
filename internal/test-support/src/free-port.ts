import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that systems give to outgoing connections: a client that keeps asking for a server that is down could be
// given the server's own port as its source, and would then meet itself or keep the server from coming back.
const lowest = 15_000
const highest = 30_000

/** A port of 127.0.0.1 where nothing listens at this moment, fit for a server that is stopped and started again. */
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
