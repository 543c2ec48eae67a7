import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listen } from '@jwt-auth/test-support'

/**
 * Starts a proxy before a database that counts what passes. Bytes of the client that follow bytes
 * of the server, or a new connection, start a round trip.
 */
export const startCountingProxy = async (databaseUrl: string) => {
  const url = new URL(databaseUrl)
  const { hostname, port } = url
  const traffic = { roundTrips: 0, sentBytes: 0, receivedBytes: 0 }
  const sockets: Socket[] = []
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true })
    sockets.push(client, upstream)
    let isWaiting = false
    client.on('data', ({ length }) => {
      if (!isWaiting) traffic.roundTrips += 1
      isWaiting = true
      traffic.sentBytes += length
    })
    upstream.on('data', ({ length }) => {
      isWaiting = false
      traffic.receivedBytes += length
    })
    client.pipe(upstream).pipe(client)
    // The process of a contender ends by a signal.
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy())
  })
  url.port = String(await listen(server))
  const close = async (): Promise<void> => {
    const closed = once(server.close(), 'close')
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: url.href, traffic, close }
}
