import type { Socket } from 'node:net'

/** The present clients of a server, and what they sent. */
export interface ClientLog {
  /** Adds a client. Removes it when its connection closes. */
  readonly add: (client: Socket) => void
  readonly count: () => number
  /** Describes each client in one line, for the message of a violation. */
  readonly describe: () => readonly string[]
  /** Destroys the connections of all clients. */
  readonly destroyAll: () => void
}

interface Entry {
  readonly connectedAt: number
  first: string
  last: string
}

const longestText = 80

/** Creates an empty log. */
export const createClientLog = (): ClientLog => {
  const entries = new Map<Socket, Entry>()

  const add = (client: Socket): void => {
    const entry: Entry = { connectedAt: performance.now(), first: '', last: '' }
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

const describeEntry = ([client, { connectedAt, first, last }]: readonly [Socket, Entry]): string => {
  const age = `${Math.round(performance.now() - connectedAt)} ms old`
  return `port ${client.remotePort}, ${age}, first sent "${first}", last sent "${last}"`
}
