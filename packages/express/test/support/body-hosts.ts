import express5 from 'express'
import express4 from 'express4'
import { expect } from 'vitest'
import type { Middleware } from '../../src/index.js'
import { express4Framework, express5Framework, type Framework, frameworks } from './frameworks.js'
import type { TestHost } from './test-host.js'

/** A framework, and middleware before ours that may have read the body. */
export interface BodyHost {
  readonly name: string
  readonly framework: Framework
  readonly before: readonly Middleware[]
}

const type = 'application/json'

/** No middleware read the body. */
export const unparsedHosts: readonly BodyHost[] = frameworks.map((framework) => ({
  name: framework.name,
  framework,
  before: [],
}))

/** A parser of the application read the body and left text or bytes. */
export const textHosts: readonly BodyHost[] = [
  { name: 'Express 5 behind express.text()', framework: express5Framework, before: [express5.text({ type })] },
  { name: 'Express 5 behind express.raw()', framework: express5Framework, before: [express5.raw({ type })] },
  { name: 'Express 4 behind express.raw()', framework: express4Framework, before: [express4.raw({ type })] },
]

/** A parser of the application read the body and left an object. */
export const jsonHosts: readonly BodyHost[] = [
  { name: 'Express 5 behind express.json()', framework: express5Framework, before: [express5.json()] },
  { name: 'Express 4 behind express.json()', framework: express4Framework, before: [express4.json()] },
]

const notExtended = { extended: false }

/** A parser of the application reads forms. */
export const formHosts: readonly BodyHost[] = [
  { name: 'Express 5 behind urlencoded()', framework: express5Framework, before: [express5.urlencoded(notExtended)] },
  { name: 'Express 4 behind urlencoded()', framework: express4Framework, before: [express4.urlencoded(notExtended)] },
]

export const bodyHosts: readonly BodyHost[] = [...unparsedHosts, ...textHosts, ...jsonHosts]

/** The routes that read a body. */
export const readers = ['/token', '/token/refresh', '/refresh'].map((path) => `/jwt-auth/v1${path}`)

export const expectNothingAsked = ({ users, storage }: TestHost): void => {
  expect({ users: users.calls, storage: storage.calls }).toStrictEqual({ users: [], storage: [] })
}
