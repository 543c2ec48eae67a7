import { randomBytes } from 'node:crypto'
import { type CallOptions, createTokenService } from '@jwt-auth/core'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import type { OwnServer } from '@jwt-auth/test-support'
import { connectTo, findOwnServers } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it, onTestFinished } from 'vitest'
import { createHostUsers, passwordOf, usernameOf } from '../../src/model/host-users.js'

const servers = findOwnServers().filter(({ name }) => name === 'PostgreSQL')

describeEach(servers, '$name whose only synchronous standby is lost', ({ start }) => {
  it('acknowledges no end of a session, not even as "already ended"', async () => {
    const { storage, send, loseStandby } = await startPrimary(start)
    const sendEnd = (): Promise<'waits' | 'acknowledged'> =>
      send((options) => storage.end({ id: sampleSession(0).id, endedAt: Date.now(), endReason: 'revoked' }, options))
    await storage.create(sampleSession(0))
    await loseStandby()
    expect([await sendEnd(), await sendEnd()]).toEqual(['waits', 'waits'])
  })

  it('acknowledges no refresh, not even a repeat of the refresh that replaced the token', async () => {
    const { storage, send, loseStandby } = await startPrimary(start)
    let deadline: AbortSignal | undefined
    const service = createTokenService({
      secret: randomBytes(32).toString('base64'),
      issuer: 'https://api.example.com',
      users: createHostUsers(),
      storage: { ...storage, rotate: (rotation) => storage.rotate(rotation, { signal: deadline }) },
      callTimeoutMs: 60_000,
    })
    const { refreshToken } = await service.login({ username: usernameOf(1), password: passwordOf(1) })
    const sendRefresh = (): Promise<'waits' | 'acknowledged'> =>
      send(({ signal }) => {
        deadline = signal
        return service.refresh(refreshToken)
      })
    await loseStandby()
    expect([await sendRefresh(), await sendRefresh()]).toEqual(['waits', 'waits'])
  })
})

/** Starts a server whose writes wait for a standby after `loseStandby`. */
const startPrimary = async (start: () => Promise<OwnServer>) => {
  const server = await start()
  const knex = connectTo(server.url)
  knex.client.logger.warn = () => {}
  onTestFinished(async () => {
    await knex.destroy()
    await server.remove()
  })
  const storage = knexStorage(knex)
  await storage.migrate()
  const countWaits = async (): Promise<number> => {
    const { rows } = await knex.raw(`select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`)
    return rows[0].count
  }

  /**
   * Sends a write, and aborts it when the server waits for the standby. Resolves to what happened
   * first.
   */
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
    const outcome = await sent
    await expect.poll(countWaits).toBe(0)
    return outcome
  }

  const loseStandby = async (): Promise<void> => {
    await knex.raw(`alter system set synchronous_standby_names = 'lost'`)
    await knex.raw('select pg_reload_conf()')
    // Each process of the server reads the setting at its own time. Commits wait when the
    // checkpointer has read it.
    let created = 0
    await expect.poll(() => send((options) => storage.create(sampleSession(++created), options))).toBe('waits')
  }

  return { storage, send, loseStandby }
}
