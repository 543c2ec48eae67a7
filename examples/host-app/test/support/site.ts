import { createHttpClient, type HttpMessage, type Send } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
import { onTestFinished } from 'vitest'
import { parseEnvironment } from '../../src/environment.js'
import { startHost } from '../../src/host.js'

export const demo = { username: 'demo', password: 'correct horse battery staple' }
export const jane = { username: 'jane', password: 'another long passphrase' }

/** The variables of every site of these tests, unless a test sets others. */
export const testVariables = {
  PORT: '0',
  DATABASE_URL: 'sqlite::memory:',
  JWT_AUTH_SECRET: 'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2eTi6oKx4vRq0w',
  // The lowest cost of bcrypt keeps the tests fast.
  BCRYPT_COST: '4',
  // All requests come from one address.
  RATE_LIMIT: 'off',
}

/** Starts a site. It stops when the test ends. */
export const startSite = async (variables: Readonly<Record<string, string>> = {}, usersUrl?: string) => {
  const environment = parseEnvironment({ ...testVariables, ...variables })
  // A busy machine must not exceed the deadline of a call to a database server.
  const lifetimes = { ...environment.lifetimes, callTimeoutMs: 60_000 }
  const { origin, stop } = await startHost({ ...environment, lifetimes, usersUrl: usersUrl ?? environment.usersUrl })
  const { send, close } = createHttpClient(origin + environment.basePath)
  let stopped: ReturnType<typeof stop> | undefined
  const stopOnce = () => {
    close()
    stopped ??= stop()
    return stopped
  }
  onTestFinished(async () => void (await stopOnce()))
  return { origin, stop: stopOnce, request: toRequest(send) }
}

export type Request = ReturnType<typeof toRequest>

/** Returns a function that sends JSON with a token, and resolves to the status and the JSON of the response. */
export const toRequest =
  (send: Send) =>
  async (method: string, path: string, { token, json }: { token?: string; json?: unknown } = {}) => {
    const message: HttpMessage = {
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    }
    const { status, headers, text } = await send(method, path, message)
    const isJson = headers['content-type']?.startsWith('application/json')
    return { status, headers, body: isJson ? parseJson(text) : text }
  }

/** Logs in and resolves to the tokens. */
export const logIn = async (request: Request, json = demo) => {
  const { body } = await request('POST', '/jwt-auth/v1/token', { json })
  return { token: readTextMember(body, 'token'), refreshToken: readTextMember(body, 'refresh_token') }
}
