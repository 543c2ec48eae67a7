import type { Socket } from 'node:net'

/** The directions of a connection. */
type Way = 'to-server' | 'to-client' | 'both'

/** What a proxy does to connections. */
export type Fault =
  /** Passes all bytes on immediately. */
  | { readonly kind: 'none' }
  /** Delays bytes by this time. Delivers the waiting bytes when the fault changes. */
  | { readonly kind: 'delay'; readonly way: Way; readonly delayMs: number | (() => number) }
  /**
   * Drops bytes, as a firewall does that has forgotten the connection. A connection that has lost
   * bytes stays silent, since the bytes after a gap never arrive. Neither side is notified.
   */
  | { readonly kind: 'drop'; readonly way: Way }
  /** Resets connections at both ends with a RST, and new connections immediately. */
  | { readonly kind: 'reset' }
  /**
   * Closes the server's end of each connection without notice, accepts new connections, and sends
   * nothing on them.
   */
  | { readonly kind: 'half-open' }
  /**
   * Resets the first connection on which a client sends this text: before the server has read the
   * request, or when its response arrives, so that the request was carried out and the client is
   * not told. Then `none`.
   */
  | { readonly kind: 'cut'; readonly at: 'request' | 'response'; readonly text: string }

/** The connection of a client to the proxy, and the connection from there to the server. */
export type ProxiedConnection = ReturnType<typeof joinConnection>

interface Ends {
  readonly client: Socket
  readonly server: Socket
  /** Returns the present fault. */
  readonly fault: () => Fault
  /** Called when a `cut` has taken place. */
  readonly onCut: () => void
}

type OneWay = Exclude<Way, 'both'>

/** Connects the two ends. */
export const joinConnection = ({ client, server, fault, onCut }: Ends) => {
  const lanes: Readonly<Record<OneWay, Lane>> = { 'to-server': createLane(server), 'to-client': createLane(client) }
  let isResponseCut = false

  const reset = (): void => {
    breakOff(client)
    breakOff(server)
  }

  const carry = (way: OneWay, chunk: Buffer): void => {
    const present = fault()
    if (present.kind === 'drop' && affects(present.way, way)) lanes[way].lose()
    lanes[way].carry(chunk, delayOf(present, way))
  }

  const carryRequest = (chunk: Buffer): void => {
    const present = fault()
    const isMeant = present.kind === 'cut' && chunk.includes(present.text)
    if (isMeant) onCut()
    isResponseCut ||= isMeant && present.at === 'response'
    if (isMeant && present.at === 'request') reset()
    // A client that writes to a closed end is reset, unless the network is still silent.
    else if (server.destroyed && present.kind !== 'half-open') breakOff(client)
    else carry('to-server', chunk)
  }

  const carryResponse = (chunk: Buffer): void => {
    if (isResponseCut) reset()
    else carry('to-client', chunk)
  }

  client.on('data', carryRequest)
  server.on('data', carryResponse)
  passOnEnding(client, server, lanes['to-server'])
  passOnEnding(server, client, lanes['to-client'])

  return {
    /** Resets both ends with a RST. */
    reset,
    /** Applies a fault to an existing connection. */
    apply: (next: Fault): void => {
      for (const lane of Object.values(lanes)) lane.release()
      if (next.kind === 'reset') reset()
      if (next.kind === 'half-open') abandonServer(server, lanes)
      // A network that works again tells the server that a client has disconnected.
      if (next.kind === 'none' && client.destroyed) server.destroy()
    },
  }
}

const delayOf = (fault: Fault, way: OneWay): number => {
  if (fault.kind !== 'delay' || !affects(fault.way, way)) return 0
  return typeof fault.delayMs === 'number' ? fault.delayMs : fault.delayMs()
}

const affects = (affected: Way, way: OneWay): boolean => affected === 'both' || affected === way

// A lane that drops bytes does not pass on the end of a connection either.
const passOnEnding = (source: Socket, target: Socket, lane: Lane): void => {
  source.on('error', () => {
    if (!lane.isLost()) breakOff(target)
  })
  source.on('close', () => {
    if (lane.isLost()) return
    lane.release()
    target.end()
  })
}

const abandonServer = (server: Socket, lanes: Readonly<Record<string, Lane>>): void => {
  for (const lane of Object.values(lanes)) lane.lose()
  server.destroy()
}

/**
 * Resets a connection with a RST. A socket that has already started to send its own end is closed
 * without a RST: there, Node's `resetAndDestroy` fails with EINVAL, and the socket never emits
 * `close`.
 *
 * The proxy would count such a client forever. That is why the outage tests once reported `the
 * service holds 6 connections` for a pool of five on MariaDB: a client had timed out while it
 * connected. The service itself held five connections.
 */
export const breakOff = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** One direction of a connection. Bytes arrive in the order in which they were sent. */
type Lane = ReturnType<typeof createLane>

/** Creates the lane to a socket. */
const createLane = (target: Socket) => {
  let waiting: readonly { readonly chunk: Buffer; readonly dueAt: number }[] = []
  let timer: NodeJS.Timeout | undefined
  let lost = false

  const deliverUntil = (instant: number): void => {
    clearTimeout(timer)
    // Bytes behind delayed bytes wait for them.
    const firstLate = waiting.findIndex(({ dueAt }) => dueAt > instant)
    const due = firstLate === -1 ? waiting : waiting.slice(0, firstLate)
    waiting = waiting.slice(due.length)
    for (const { chunk } of due) target.write(chunk)
    const [next] = waiting
    if (next !== undefined) timer = setTimeout(() => deliverUntil(performance.now()), next.dueAt - instant)
  }

  return {
    /** Delivers bytes after a delay. Delivers nothing after `lose`. */
    carry: (chunk: Buffer, delayMs: number): void => {
      if (lost) return
      const now = performance.now()
      waiting = [...waiting, { chunk, dueAt: now + delayMs }]
      deliverUntil(now)
    },
    /** Delivers all waiting bytes. */
    release: () => deliverUntil(Number.POSITIVE_INFINITY),
    /** Drops all bytes from now on. */
    lose: () => {
      lost = true
    },
    isLost: () => lost,
  }
}
