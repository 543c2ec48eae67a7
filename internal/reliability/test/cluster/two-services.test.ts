import { randomBytes } from 'node:crypto'
import { createTokenService } from '@jwt-auth/core'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FreshStore, findStores } from '../../src/cluster/stores.js'
import { createHostUsers, passwordOf, usernameOf } from '../../src/model/host-users.js'

const credentials = { username: usernameOf(1), password: passwordOf(1) }
const refused = { code: 'jwt_auth_invalid_refresh_token' }

describeEach(await findStores(), 'two services with different issuers over one $name', ({ create }) => {
  let store: FreshStore
  beforeAll(async () => {
    store = await create()
  })
  afterAll(() => store?.drop())

  it('keep their sessions apart, although both have user 1 and the same secret', async () => {
    const secret = randomBytes(32)
    const open = (issuer: string) =>
      createTokenService({ secret, issuer, users: createHostUsers(), storage: store.storage, onError: () => {} })
    const [customers, staff] = [open('https://customers.example.com'), open('https://staff.example.com')]
    const [ofCustomer, ofStaff] = [await customers.authenticate(credentials), await staff.authenticate(credentials)]
    const idsOf = async ({ sessions }: typeof staff) => (await sessions.list(1)).map(({ id }) => id)

    await expect(staff.refresh(ofCustomer.refreshToken)).rejects.toMatchObject(refused)
    await expect(staff.authorize(ofCustomer.accessToken)).rejects.toMatchObject({ code: 'jwt_auth_invalid_token' })
    expect(await staff.sessions.revoke({ userId: 1, sessionId: ofCustomer.sessionId })).toBe('not-found')
    expect(await idsOf(customers)).toEqual([ofCustomer.sessionId])
    expect(await idsOf(staff)).toEqual([ofStaff.sessionId])

    expect(await staff.sessions.revokeAll(1)).toBe(1)
    const next = await customers.refresh(ofCustomer.refreshToken)
    expect(await customers.authorize(next.accessToken)).toMatchObject({ sessionId: ofCustomer.sessionId })
    expect(await customers.sessions.revokeAll(1)).toBe(1)
  })
})
