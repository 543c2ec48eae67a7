import { randomBytes } from 'node:crypto'
import { createTokenService } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import { connectTo } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it, onTestFinished } from 'vitest'
import { findOwnServers } from '../../src/faults/servers/own-servers.js'
import { createHostUsers } from '../../src/model/host-users.js'

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
    const service = createTokenService({
      secret: randomBytes(32),
      issuer: 'https://api.example.com',
      users: createHostUsers(),
      storage,
      rateLimits: false,
    })
    const { sessionId } = await service.sessions.create(1)
    const countWaits = async (): Promise<number> => {
      const { rows } = await knex.raw(
        `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`,
      )
      return rows[0].count
    }
    const readSetting = async (): Promise<unknown> => {
      const { rows } = await knex.raw('show synchronous_standby_names')
      return rows[0].synchronous_standby_names
    }

    await knex.raw(`alter system set synchronous_standby_names = 'lost'`)
    await knex.raw('select pg_reload_conf()')
    await expect.poll(() => readSetting()).toBe('lost')

    /** Ends the session, and aborts when the server waits for the standby. Resolves to what happened first. */
    const endOnce = async (): Promise<'waits' | 'acknowledged'> => {
      const controller = new AbortController()
      const ending = { endedAt: Date.now(), endReason: 'revoked' }
      const end = storage.end(sessionId, ending, { signal: controller.signal }).then(
        () => 'acknowledged' as const,
        () => 'waits' as const,
      )
      let isSettled = false
      void end.then(() => {
        isSettled = true
      })
      while (!isSettled && (await countWaits()) === 0);
      controller.abort()
      return end
    }
    expect(await endOnce()).toBe('waits')
    await expect.poll(countWaits).toBe(0)
    expect(await endOnce()).toBe('waits')
  })
})
