import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import type { JwtAuthOptions } from '../src/index.js'
import { openApiDocument } from '../src/openapi.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'

const createDocument = async (options: Partial<JwtAuthOptions> = {}) => {
  const { auth } = await startHost(express5Framework, { options })
  return openApiDocument(auth, { servers: ['https://api.acme.test'] })
}

describe('openApiDocument', () => {
  it.each([
    ['without cookies', {}],
    ['with cookies, forms and another namespace', { cookies: {}, formBodies: true, namespace: '/auth' }],
    ['with session routes and a profile', { sessionRoutes: true, profile: () => ({}) }],
  ])('passes the strict rules of Redocly %s', async (_, options) => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const source = JSON.stringify(await createDocument(options))
    expect(await lintFromString({ source, absoluteRef: 'openapi.json', config })).toEqual([])
  })

  it('has the paths below the namespace of the service', async () => {
    const { paths } = await createDocument({ namespace: '/auth' })
    expect(Object.keys(paths)).toEqual([
      '/auth/token',
      '/auth/token/refresh',
      '/auth/refresh',
      '/auth/token/validate',
      '/auth/validate',
      '/auth/token/revoke',
      '/auth/me',
    ])
  })

  it('has the session routes and their schema only if the service has them', async () => {
    const { paths, components } = await createDocument({ sessionRoutes: true })
    expect(Object.keys(paths).slice(-2)).toEqual(['/jwt-auth/v1/sessions', '/jwt-auth/v1/sessions/{id}'])
    expect(components.schemas).toHaveProperty('Sessions')
    expect(JSON.stringify(await createDocument())).not.toContain('essions')
  })

  it('mentions the cookie only if the service has one', async () => {
    const cookies = { name: '__Host-staff' }
    expect(JSON.stringify(await createDocument({ cookies }))).toContain('__Host-staff')
    expect(JSON.stringify(await createDocument())).not.toMatch(/cookie|origin/i)
  })

  it('allows further members of users only if the service has a profile', async () => {
    const { components } = await createDocument({ profile: () => ({}) })
    const open = { additionalProperties: { description: 'Members that the application adds.' } }
    expect(components.schemas).toMatchObject({ AuthenticationResult: open, CurrentUser: open })
    expect(JSON.stringify(await createDocument())).not.toContain('additionalProperties')
  })

  it('throws for a value that jwtAuth did not create', () => {
    // @ts-expect-error what a caller without types may pass
    expect(() => openApiDocument({})).toThrow('openApiDocument(auth) needs the result of jwtAuth(options).')
  })
})
