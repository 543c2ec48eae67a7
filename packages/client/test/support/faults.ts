import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Fault } from './test-server.js'

/** The connection breaks before the server has read the request. */
export const dropRequest: Fault = ({ req }) => req.socket.destroy()

/** The server processes the request, and the connection breaks before the response. */
export const dropResponse: Fault = ({ req, res, proceed }) => {
  replaceEnd(res, () => req.socket.destroy())
  return proceed()
}

/** A proxy responds in place of the server. */
export const respondWith =
  (status: number, body: string, headers: OutgoingHttpHeaders = {}): Fault =>
  ({ res }) =>
    res.writeHead(status, headers).end(body)

/** The server responds with a failure of jwt-auth. */
export const failWith = (status: number, code: string, headers: OutgoingHttpHeaders = {}): Fault =>
  respondWith(status, JSON.stringify({ code, message: code, data: { status } }), headers)

/** A fault that holds an exchange until a test lets it continue. */
export interface Hold {
  readonly fault: Fault
  /** Resolves when the exchange is held. */
  readonly reached: Promise<void>
  readonly release: () => void
}

/** Holds a request before the server processes it. */
export const holdRequest = (): Hold => {
  const { gate, reached, reach, release } = createGate()
  return {
    reached,
    release,
    fault: async ({ proceed }) => {
      reach()
      await gate
      await proceed()
    },
  }
}

/** Lets the server process a request, and holds its response. */
export const holdResponse = (): Hold => {
  const { gate, reached, reach, release } = createGate()
  return {
    reached,
    release,
    fault: ({ res, proceed }) => {
      const end = res.end.bind(res)
      replaceEnd(res, async (body) => {
        reach()
        await gate
        end(body)
      })
      return proceed()
    },
  }
}

const replaceEnd = (res: ServerResponse, end: (body: string) => unknown): void => {
  Object.assign(res, { end })
}

const createGate = () => {
  const { promise: gate, resolve: release } = createDeferred()
  const { promise: reached, resolve: reach } = createDeferred()
  return { gate, release, reached, reach }
}

const createDeferred = () => {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
