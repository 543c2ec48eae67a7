import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AuthError } from '@jwt-auth/core'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isBreachedPassword } from '../src/index.js'

// The SHA-1 digest of `password` is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
const rest = '1E4C9B93F3F0682250B6CF8331B7EE68FD8'
const other = '003D68EB55068C33ACE09247EE4C639306B:3'

/** Starts a server that has a list of breached passwords, and records its requests. */
const startList = async (respond: (res: ServerResponse) => unknown) => {
  const requests: IncomingMessage[] = []
  const server = createServer((req, res) => {
    requests.push(req)
    respond(res)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const errors: AuthError[] = []
  const options = {
    url: `http://127.0.0.1:${Reflect.get(Object(server.address()), 'port')}/range/`,
    onError: (error: AuthError): unknown => errors.push(error),
  }
  return { server, requests, errors, options }
}

describe('isBreachedPassword', () => {
  it('sends five digits of the digest and no more, and asks for padding', async () => {
    const { requests, options } = await startList((res) => res.end(other))
    await isBreachedPassword('password', options)
    expect(requests.map(({ method, url }) => ({ method, url }))).toEqual([{ method: 'GET', url: '/range/5BAA6' }])
    expect(requests[0]?.headers).toMatchObject({ 'add-padding': 'true' })
    expect(requests[0]?.rawHeaders.join()).not.toMatch(/password|1E4C9/i)
  })

  it.each([
    ['true for a password on the list', `${other}\r\n${rest}:9545824\r\n${other}`, true],
    ['true for the last password of the list', `${other}\n${rest}:1`, true],
    ['false for a password that is not on the list', other, false],
    ['false for a password that only the padding contains', `${rest}:0\r\n${other}`, false],
  ])('resolves to %s', async (_, range, isBreached) => {
    const { errors, options } = await startList((res) => res.end(range))
    expect(await isBreachedPassword('password', options)).toBe(isBreached)
    expect(errors).toEqual([])
  })

  it.each<[string, (res: ServerResponse) => unknown, RegExp]>([
    ['responds with an error', (res) => res.writeHead(503).end(`${rest}:7`), /responded with 503/],
    ['responds with a page', (res) => res.end(`<p>\n${rest}:7`), /responded with 200 and no digests/],
    ['closes the connection', (res) => res.destroy(), /fetch failed/],
  ])('resolves to false, and reports it, when the server %s', async (_, respond, message) => {
    const { errors, options } = await startList(respond)
    expect(await isBreachedPassword('password', options)).toBe(false)
    expect(errors).toMatchObject([{ code: 'jwt_auth_unavailable', cause: { message: expect.stringMatching(message) } }])
  })

  it('resolves to false, and closes the connection, when the list does not arrive within two seconds', async () => {
    const { server, errors, options } = await startList((res) => res.write(other))
    const deadline = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
    onTestFinished(() => timeout.mockRestore())
    const arrived = once(server, 'request')
    const result = isBreachedPassword('password', options)
    const [req] = await arrived
    expect(timeout.mock.calls).toEqual([[2_000]])
    const cause = new Error('too late')
    deadline.abort(cause)
    expect(await result).toBe(false)
    expect(errors).toMatchObject([{ code: 'jwt_auth_unavailable', cause }])
    await expect.poll(() => req.socket.destroyed).toBe(true)
  })

  it('ignores an error that onError throws', async () => {
    const { options } = await startList((res) => res.destroy())
    const onError = (): never => {
      throw new Error('the log is full')
    }
    expect(await isBreachedPassword('password', { ...options, onError })).toBe(false)
  })

  it.each([
    [
      'password',
      { url: 'https://example.com/range' },
      'option `isBreachedPassword.url` must be a URL that ends with `/`',
    ],
    ['password', { url: 'range/' }, 'option `isBreachedPassword.url` must be a URL that ends with `/`'],
    ['password', { onError: 1 }, 'option `isBreachedPassword.onError` must be a function'],
    ['password', { uri: '' }, 'isBreachedPassword has no option `uri`'],
    [undefined, {}, 'must be of type string'],
  ])('throws a TypeError for %j with %j', async (password, options, message) => {
    await expect(callUntyped(isBreachedPassword, password, options)).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
    )
  })
})
