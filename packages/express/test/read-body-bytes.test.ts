import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { AuthError } from '@jwt-auth/core'
import { describe, expect, it } from 'vitest'
import { readBodyBytes } from '../src/read-body-bytes.js'

const limitBytes = 8

/** Creates a request whose body the test writes. */
const createRequest = (headers: Readonly<Record<string, string>> = {}): IncomingMessage =>
  Object.assign(new IncomingMessage(new Socket()), { headers })

const createTime = () => {
  let fire = (): void => {}
  return {
    startTimer: (_milliseconds: number, callback: () => void) => {
      fire = callback
      return () => {}
    },
    res: new ServerResponse(new IncomingMessage(new Socket())),
    fire: () => fire(),
  }
}

const failureOf = (reading: Promise<unknown>): Promise<unknown> => reading.catch((error: unknown) => error)

const invalidRequest = (detail: string) => ({
  code: 'jwt_auth_invalid_request',
  detail,
})

describe('readBodyBytes', () => {
  it('blames the client for fewer bytes than it announced, and names both numbers', async () => {
    const req = createRequest({ 'content-length': '2' })
    req.push('{')
    req.push(null)
    const error = await failureOf(readBodyBytes(req, limitBytes, createTime()))
    expect(error).toBeInstanceOf(AuthError)
    expect(error).toMatchObject(invalidRequest('the body has 1 bytes, and its header announced 2'))
  })

  it('blames the client for a connection that ends during the body', async () => {
    const req = createRequest()
    const reading = failureOf(readBodyBytes(req, limitBytes, createTime()))
    req.emit('aborted')
    expect(await reading).toMatchObject(invalidRequest('the client disconnected'))
  })

  it('blames the client for a connection that ended before the body was read', async () => {
    const req = createRequest()
    req.destroy()
    expect(await failureOf(readBodyBytes(req, limitBytes, createTime()))).toMatchObject(
      invalidRequest('the client disconnected'),
    )
  })

  it('rejects with the error of the server for a stream that is not readable although its connection is open', async () => {
    const req = Object.defineProperty(createRequest(), 'readable', { value: false })
    const error = await failureOf(readBodyBytes(req, limitBytes, createTime()))
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(AuthError)
  })

  it.each([
    ['its header announces', { 'content-length': '9' }, ''],
    ['arrive', {}, '123456789'],
  ])('rejects when more bytes %s than the limit, and leaves the connection open', async (_, headers, body) => {
    const req = createRequest(headers)
    req.push(body)
    expect(await failureOf(readBodyBytes(req, limitBytes, createTime()))).toMatchObject({
      code: 'jwt_auth_payload_too_large',
    })
    expect({ isOpen: !req.destroyed, isReading: req.readableFlowing === true }).toEqual({
      isOpen: true,
      isReading: false,
    })
  })

  it('resolves to the bytes of all chunks up to the limit, and leaves no listener', async () => {
    const req = createRequest({ 'content-length': '8' })
    for (const chunk of ['1234', '5678', null]) req.push(chunk)
    expect(await readBodyBytes(req, limitBytes, createTime())).toEqual(Buffer.from('12345678'))
    expect(['data', 'error', 'aborted'].map((event) => req.listenerCount(event))).toEqual([0, 0, 0])
  })

  it('rejects with the error of the stream', async () => {
    const req = createRequest()
    const failure = new Error('The disk is full.')
    const reading = failureOf(readBodyBytes(req, limitBytes, createTime()))
    req.emit('error', failure)
    expect(await reading).toBe(failure)
  })
})
