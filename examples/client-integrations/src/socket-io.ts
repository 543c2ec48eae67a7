import type { AuthClient } from '@jwt-auth/client'
import { io, type Socket } from 'socket.io-client'

/** Opens a socket while a user is logged in. The socket reconnects with a new token after the server refused the old one. */
export const openSocket = (auth: AuthClient, origin: string): Socket => {
  let token: string | undefined
  const socket = io(origin, {
    autoConnect: false,
    // Called for each connection, so that a reconnect never sends an old token.
    auth: (send) => {
      auth.getAccessToken().then(
        (next) => {
          token = next
          send({ token })
        },
        () => send({}),
      )
    },
    // A message that the server did not acknowledge is sent again after a reconnect.
    retries: 3,
    ackTimeout: 10_000,
  })

  // The server has refused the token. The client refreshes, and logs out if the session has ended.
  const resume = async (): Promise<void> => {
    try {
      if (await auth.getAccessToken({ refused: token })) socket.connect()
    } catch {
      if (auth.getSnapshot().user) setTimeout(resume, 5_000)
    }
  }

  // socket.io reconnects by itself, unless the server closed or refused the connection.
  socket.on('disconnect', (reason) => {
    if (reason === 'io server disconnect') resume()
  })
  socket.on('connect_error', () => {
    if (!socket.active) resume()
  })

  const follow = (): void => {
    if (auth.getSnapshot().status === 'authenticated') socket.connect()
    else socket.disconnect()
  }
  auth.subscribe(follow)
  follow()
  return socket
}
