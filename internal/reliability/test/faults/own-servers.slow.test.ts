import type { OwnServer } from '@jwt-auth/test-support'
import { connectTo, findOwnServers, type OwnServerKind } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient } from 'redis'
import { afterEach, expect, it } from 'vitest'

interface Notes {
  readonly write: (note: string) => Promise<unknown>
  readonly read: () => Promise<unknown>
  readonly close: () => Promise<void>
}

const openTable = async (url: string): Promise<Notes> => {
  const knex = connectTo(url)
  // The query rejects with the failure. knex would also print it.
  knex.client.logger.warn = () => {}
  await knex.raw('create table if not exists notes (note varchar(20))')
  return {
    write: (note) => knex('notes').insert({ note }),
    read: () => knex('notes').pluck('note'),
    close: () => knex.destroy(),
  }
}

const openList = async (url: string): Promise<Notes> => {
  const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})
  await client.connect()
  return {
    write: (note) => client.rPush('notes', note),
    read: () => client.lRange('notes', 0, -1),
    close: async () => client.destroy(),
  }
}

const openNotes: Record<OwnServerKind['name'], (url: string) => Promise<Notes>> = {
  PostgreSQL: openTable,
  MariaDB: openTable,
  Redis: openList,
}

describeEach(findOwnServers(), 'a $name that a test starts', ({ name, start }) => {
  let server: OwnServer | undefined
  afterEach(() => server?.remove())

  it('keeps what it has acknowledged after a crash and after a shutdown, at the same URL', async () => {
    server = await start()
    const { url } = server
    const noteAndStop = async (note: string, how: 'crash' | 'clean'): Promise<void> => {
      const notes = await openNotes[name](url)
      await notes.write(note)
      await server?.stop(how)
      await expect(notes.read()).rejects.toThrow()
      await notes.close().catch(() => {})
      await server?.start()
    }
    await noteAndStop('crashed', 'crash')
    await noteAndStop('shut down', 'clean')
    const notes = await openNotes[name](url)
    expect(await notes.read()).toEqual(['crashed', 'shut down'])
    await notes.close()
  })
})
