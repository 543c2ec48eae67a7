import { memoryStorage } from '@jwt-auth/storage-memory'
import { callUntyped, outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { TokenServiceOptions } from '../../src/index.js'

const customerIssuer = 'https://customers.example.com'
const staffIssuer = 'https://staff.example.com'

/** Two services with one secret and one storage. Both have a user 1 with the same credential version. */
const createTwoServices = (options: Partial<TokenServiceOptions> = {}) => {
  const storage = memoryStorage({ quiet: true })
  const customers = createTestService({ storage, issuer: customerIssuer })
  const staff = createTestService({ storage, issuer: staffIssuer, ...options })
  // Otherwise both would generate the same ids.
  for (let skipped = 0; skipped < 100; skipped += 1) staff.system.randomBytes(1)
  return { storage, customers, staff }
}

describe('two services with one storage', () => {
  it('refuse refresh tokens of each other as unknown, which ends no session and is reported once', async () => {
    const { customers, staff, storage } = createTwoServices()
    const { refreshToken, sessionId } = await customers.login()
    const before = await storage.findByIds([sessionId])
    const forged = `${refreshToken.slice(0, -8)}AAAAAAAA`
    for (const text of [refreshToken, forged]) {
      expect(await outcomeOf(staff.service.refresh(text))).toBe('jwt_auth_invalid_refresh_token')
    }
    expect(await storage.findByIds([sessionId])).toEqual(before)
    expect(staff.events).toEqual([])
    const values = `is "${customerIssuer}", but the option \`issuer\` of this instance is ["${staffIssuer}"]`
    const message = expect.stringContaining(`the issuer of the session of a token ${values}`)
    expect(staff.errors).toMatchObject([{ cause: { message } }])
    expect(await outcomeOf(customers.service.refresh(refreshToken))).toBe('ok')
  })

  it('refuse access tokens of each other, although they share a secret', async () => {
    const { customers, staff } = createTwoServices()
    const { accessToken } = await customers.login()
    expect(await outcomeOf(staff.service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
    expect(await outcomeOf(staff.service.revoke(accessToken))).toBe('jwt_auth_invalid_token')
    expect(await outcomeOf(customers.service.authorize(accessToken))).toBe('ok')
  })

  it('list and end the sessions of their own users only', async () => {
    const { customers, staff } = createTwoServices()
    const ofCustomer = await customers.login()
    const ofStaff = await staff.login()
    const idsOf = async ({ service }: typeof staff) => (await service.sessions.list(1)).map(({ id }) => id)
    expect(await idsOf(customers)).toEqual([ofCustomer.sessionId])
    expect(await idsOf(staff)).toEqual([ofStaff.sessionId])
    expect(await customers.service.sessions.revokeAll(1)).toBe(1)
    expect(await idsOf(staff)).toEqual([ofStaff.sessionId])
    expect(await outcomeOf(staff.service.authorize(ofStaff.accessToken))).toBe('ok')
  })
})

describe('a service with a former issuer', () => {
  const createMoved = async () => {
    const { customers, staff: moved, storage } = createTwoServices({ issuer: [staffIssuer, customerIssuer] })
    return { moved, storage, before: await customers.login() }
  }

  it('accepts the access tokens and the refresh tokens of the former address', async () => {
    const { moved, storage, before } = await createMoved()
    expect(await outcomeOf(moved.service.authorize(before.accessToken))).toBe('ok')
    const { accessToken, refreshToken, sessionId } = await moved.service.refresh(before.refreshToken)
    expect(sessionId).toBe(before.sessionId)
    expect((await moved.service.authorize(accessToken)).claims.iss).toBe(staffIssuer)
    expect(await storage.findByIds([sessionId])).toMatchObject([{ issuer: customerIssuer }])
    expect(await outcomeOf(moved.service.refresh(refreshToken))).toBe('ok')
    expect(await outcomeOf(moved.service.revoke(before.accessToken))).toBe('ok')
  })

  it('lists and ends the sessions of both addresses, the newest first', async () => {
    const { moved, before } = await createMoved()
    moved.system.advance(1)
    const { sessionId } = await moved.login()
    expect((await moved.service.sessions.list(1)).map(({ id }) => id)).toEqual([sessionId, before.sessionId])
    expect(await moved.service.sessions.revoke(1, before.sessionId)).toBe('ended')
    expect(await moved.service.sessions.revokeAll(1)).toBe(1)
    expect(await moved.service.sessions.list(1)).toEqual([])
  })
})

describe('the option issuer', () => {
  it.each([
    ['issuer', { issuer: 'x'.repeat(201) }],
    ['issuer', { issuer: 'a\nb' }],
    ['issuer[1]', { issuer: ['https://former.example.com', ''] }],
  ])('is rejected when invalid, with its name: %s (%#)', (name, options) => {
    expect(() => callUntyped(createTestService, options)).toThrow(`option \`${name}\` must be`)
  })

  it('is rejected when it is an empty list', () => {
    expect(() => createTestService({ issuer: [] })).toThrow('option `issuer` is an empty list')
  })
})
