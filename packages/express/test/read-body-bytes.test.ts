import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { AuthError } from '@jwt-auth/core'
import { describe, expect, it, vi } from 'vitest'
import { type ReadingTime, readBodyBytes } from '../src/read-body-bytes.js'

const limitBytes = 8

/** Creates a request whose body the test writes. */
const createRequest = (headers: Readonly<Record<string, string>> = {}): IncomingMessage =>
  Object.assign(new IncomingMessage(new Socket()), { headers })

const createTime = (): ReadingTime & { readonly fire: () => void } => {
  let fire = (): void => {}
  return {
    bodyTimeoutMs: 100,
    startTimer: (_milliseconds, onTimeout) => {
      fire = onTimeout
      return () => {}
    },
    onTimeout: vi.fn(),
    fire: () => fire(),
  }
}

const failureOf = (reading: Promise<unknown>): Promise<unknown> => reading.catch((error: unknown) => error)

const invalidRequest = (type: string) => ({
  code: 'jwt_auth_invalid_request',
  cause: expect.objectContaining({ type }),
})

describe('readBodyBytes', () => {
  it('blames the client for fewer bytes than it announced, and keeps the cause', async () => {
    const req = createRequest({ 'content-length': '2' })
    req.push('{')
    req.push(null)
    const error = await failureOf(readBodyBytes(req, limitBytes, createTime()))
    expect(error).toBeInstanceOf(AuthError)
    expect(error).toMatchObject(invalidRequest('request.size.invalid'))
  })

  it('blames the client for a connection that ends during the body', async () => {
    const req = createRequest()
    const reading = failureOf(readBodyBytes(req, limitBytes, createTime()))
    req.emit('aborted')
    expect(await reading).toMatchObject(invalidRequest('request.aborted'))
  })

  it('blames the client for a connection that ended before the body was read', async () => {
    const req = createRequest()
    req.destroy()
    expect(await failureOf(readBodyBytes(req, limitBytes, createTime()))).toMatchObject(
      invalidRequest('stream.not.readable'),
    )
  })

  it('rejects with the error of the server for a stream that is not readable although its connection is open', async () => {
    const req = Object.defineProperty(createRequest(), 'readable', { value: false })
    const error = await failureOf(readBodyBytes(req, limitBytes, createTime()))
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(AuthError)
  })

  it('rejects with the error of the stream, which needs no `type`', async () => {
    const req = createRequest()
    const failure = new Error('The disk is full.')
    const reading = failureOf(readBodyBytes(req, limitBytes, createTime()))
    req.emit('error', failure)
    expect(await reading).toBe(failure)
  })
})
