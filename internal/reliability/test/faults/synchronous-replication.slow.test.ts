import type { CallOptions } from '@jwt-auth/core'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { connectTo } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it, onTestFinished } from 'vitest'
import { findOwnServers } from '../../src/faults/servers/own-servers.js'

const servers = (await findOwnServers()).filter(({ name }) => name === 'PostgreSQL')

describeEach(servers, '$name whose only synchronous standby is lost', ({ start }) => {
  it('acknowledges no end of a session, not even as "already ended"', async () => {
    const server = await start()
    const knex = connectTo(server.url)
    knex.client.logger.warn = () => {}
    onTestFinished(async () => {
      await knex.destroy()
      await server.remove()
    })
    const storage = knexStorage(knex)
    await storage.migrate()
    await storage.create(sampleSession(0))
    const countWaits = async (): Promise<number> => {
      const { rows } = await knex.raw(
        `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`,
      )
      return rows[0].count
    }

    /** Sends a write, and aborts it when the server waits for the standby. Resolves to what happened first. */
    const send = async (write: (options: CallOptions) => Promise<unknown>): Promise<'waits' | 'acknowledged'> => {
      const controller = new AbortController()
      const sent = write({ signal: controller.signal }).then(
        () => 'acknowledged' as const,
        () => 'waits' as const,
      )
      let isSettled = false
      void sent.then(() => {
        isSettled = true
      })
      while (!isSettled && (await countWaits()) === 0);
      controller.abort()
      return sent
    }
    const sendEnd = (): Promise<'waits' | 'acknowledged'> =>
      send((options) => storage.end(sampleSession(0).id, { endedAt: Date.now(), endReason: 'revoked' }, options))

    await knex.raw(`alter system set synchronous_standby_names = 'lost'`)
    await knex.raw('select pg_reload_conf()')
    // Each process of the server reads the setting at its own time. Commits wait when the checkpointer has read it.
    let created = 0
    await expect.poll(() => send((options) => storage.create(sampleSession(++created), options))).toBe('waits')
    await expect.poll(countWaits).toBe(0)
    expect(await sendEnd()).toBe('waits')
    await expect.poll(countWaits).toBe(0)
    expect(await sendEnd()).toBe('waits')
  })
})
