import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { guardedPath } from '../../src/cluster/instance/instance-server.js'
import { passwordOf, usernameOf } from '../../src/cluster/instance/instance-users.js'
import { type Instance, startInstance, withInstances } from '../../src/cluster/instance/start-instance.js'

const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-instance-'))
const storageUrl = `sqlite:${join(folder, 'test.sqlite')}`

afterAll(() => rm(folder, { recursive: true }))

const logIn = async ({ client }: Instance): Promise<unknown> => {
  const body = { username: usernameOf(7), password: passwordOf(7) }
  return (await client.send({ method: 'POST', path: '/jwt-auth/v1/token', body })).body
}

const readText = (body: unknown, name: string): string => {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  if (typeof value === 'string') return value
  throw new Error(`The response has no text \`${name}\`.`)
}

describe.each(['express5', 'express4', 'node:http'] as const)('an instance on %s', (framework) => {
  it('logs in, guards a route, carries out orders and exits with 0', async () => {
    await withInstances([{ storageUrl, framework }], async ([instance]) => {
      if (instance === undefined) throw new Error('No instance was started.')
      const pair = await logIn(instance)
      const whoAmI = { method: 'GET', path: guardedPath, bearer: readText(pair, 'token') } as const
      expect(await instance.client.send(whoAmI)).toMatchObject({ status: 200, body: { user_id: 7 } })

      await instance.setGate(['findByIds'], 'hold-after')
      const held = instance.client.send(whoAmI)
      await instance.awaitHeld('findByIds', 1)
      await instance.setGate(['findByIds'], 'reject')
      expect((await held).status).toBe(200)
      expect((await instance.client.send(whoAmI)).status).toBe(503)

      const { lastErrors, heapUsedBytes, ...report } = await instance.report()
      expect(report).toMatchObject({ unhandledRejections: [], errorCounts: { jwt_auth_unavailable: 1 } })
      expect(report.pool).toEqual({ used: 0, free: 1, pending: 0 })
      expect(lastErrors).toEqual(['jwt_auth_unavailable: The storage gate rejects this call.'])
      expect(await instance.stop()).toEqual({ code: 0, signal: null, stderr: '' })
    })
  })
})

describe('an instance', () => {
  it('dies between a commit and its response', async () => {
    await withInstances([{ storageUrl }], async ([instance]) => {
      if (instance === undefined) throw new Error('No instance was started.')
      await instance.dieAfter('create', 1)
      await expect(logIn(instance)).rejects.toThrow()
      expect(await instance.exited).toMatchObject({ signal: 'SIGKILL' })
      await expect(instance.report()).rejects.toThrow()
    })
  })

  it('that cannot start rejects with the reason', async () => {
    await expect(startInstance({ storageUrl, options: { storageTimeoutMs: 1 } })).rejects.toThrow('storageTimeoutMs')
  })
})
