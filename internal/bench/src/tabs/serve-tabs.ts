import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { TabServer } from './tab-client.js'

/** A server that listens. */
export interface ServedTabs {
  readonly origin: string
  /** Returns the number of requests to the refresh route so far. */
  readonly countRefreshes: () => number
  readonly close: () => void
}

// The time of a request to a server that is not on the same machine.
const latencyMs = 50

/** Serves a page with one script, and everything else from a server under test. */
export const serveTabs = async (script: string, { respond, refreshPath }: TabServer): Promise<ServedTabs> => {
  let refreshes = 0
  const server: Server = createServer(async (req, res) => {
    if (req.url === '/') {
      return res
        .setHeader('Content-Type', 'text/html')
        .end(
          '<!doctype html><title>Bench</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
        )
    }
    if (req.url === '/page.js') return res.setHeader('Content-Type', 'text/javascript').end(script)
    if (req.url === refreshPath) refreshes += 1
    await setTimeout(latencyMs)
    return respond(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The server listens on a port.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    countRefreshes: () => refreshes,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
