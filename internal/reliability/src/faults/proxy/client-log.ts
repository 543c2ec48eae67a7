import type { Socket } from 'node:net'

/** The clients that a server has at the moment, and what they sent. */
export interface ClientLog {
  /** Adds a client until its connection closes. */
  readonly add: (client: Socket) => void
  readonly count: () => number
  /** Describes each client in one line, for the message of a failure. */
  readonly describe: () => readonly string[]
  /** Destroys the connections of all clients. */
  readonly destroyAll: () => void
}

interface Entry {
  readonly cameAt: number
  first: string
  last: string
}

const longestText = 80

/** Creates an empty log. */
export const createClientLog = (): ClientLog => {
  const entries = new Map<Socket, Entry>()

  const add = (client: Socket): void => {
    const entry: Entry = { cameAt: performance.now(), first: '', last: '' }
    entries.set(client, entry)
    client.once('close', () => entries.delete(client))
    client.on('data', (chunk: Buffer) => {
      entry.last = toPrintable(chunk)
      if (entry.first === '') entry.first = entry.last
    })
  }

  return {
    add,
    count: () => entries.size,
    describe: () => [...entries].map(describeEntry),
    destroyAll: () => {
      for (const client of entries.keys()) client.destroy()
    },
  }
}

const toPrintable = (chunk: Buffer): string =>
  chunk
    .toString('latin1')
    .replace(/[^ -~]+/g, ' ')
    .trim()
    .slice(0, longestText)

const describeEntry = ([client, { cameAt, first, last }]: readonly [Socket, Entry]): string => {
  const age = `${Math.round(performance.now() - cameAt)} ms old`
  return `port ${client.remotePort}, ${age}, first sent "${first}", last sent "${last}"`
}
