import { describe, expect, it } from 'vitest'
import { express5Framework } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { startHost } from './support/test-host.js'

describe('the headers of a rejection', () => {
  it('have the realm of the service', async () => {
    const { auth } = await startHost(express5Framework, { options: { realm: 'reports' } })
    await expect(auth.verify('abc')).rejects.toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer realm="reports", error="invalid_token"' },
    })
  })

  it('have Retry-After during an outage', async () => {
    const host = await startHost(express5Framework)
    host.storage.fail(storageFailure, 'list')
    await expect(host.auth.sessions.list(7)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  })
})
