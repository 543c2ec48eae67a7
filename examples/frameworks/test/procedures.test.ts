import { bearer, type HttpResponse, json, type Send } from '@jwt-auth/test-support/http-client'
import { parseJson, readMember } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { admin, invalid, logInFor, member, readContract, startProgram } from './support/programs.js'

describe('the program trpc', () => {
  const starting = startProgram('trpc')
  const call = (send: Send, procedure: string, token?: string) =>
    send('GET', `/trpc/${procedure}`, token === undefined ? {} : bearer(token))
  const readResult = ({ status, text }: HttpResponse) => ({
    status,
    data: readMember(parseJson(text), 'result', 'data'),
  })
  const readError = ({ status, text }: HttpResponse) => {
    const error = readMember(parseJson(text), 'error')
    return { status, code: readMember(error, 'data', 'code'), message: readMember(error, 'message') }
  }

  it('serves procedures to a caller with a token, until the token is revoked', async () => {
    const send = await starting
    const token = await logInFor(send, member)
    expect(readResult(await call(send, 'home'))).toEqual({ status: 200, data: 'home' })
    expect(readResult(await call(send, 'reports', token))).toEqual({ status: 200, data: { userId: 1 } })

    await send('POST', '/jwt-auth/v1/token/revoke', bearer(token))
    const rejected = { status: 401, code: 'UNAUTHORIZED', message: 'Invalid token.' }
    expect(readError(await call(send, 'reports', token))).toEqual(rejected)
  })

  it('rejects a call without a token with UNAUTHORIZED, and a rule with FORBIDDEN', async () => {
    const send = await starting
    expect(readError(await call(send, 'reports'))).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(readError(await call(send, 'admin', await logInFor(send, member)))).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    })
    expect(readResult(await call(send, 'admin', await logInFor(send, admin)))).toMatchObject({ status: 200 })
  })
})

describe.each(['graphql-http', 'apollo'])('the program %s', (program) => {
  const starting = startProgram(program)
  const query = (send: Send, field: string, token?: string) =>
    send(
      'POST',
      '/graphql',
      json({ query: `{ ${field} }` }, token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    )
  const read = ({ text }: HttpResponse) => {
    const body = parseJson(text)
    return { data: readMember(body, 'data'), code: readMember(body, 'errors', '0', 'extensions', 'code') }
  }
  const failure = (code: string) => ({ data: null, code })

  it('serves fields to a caller with a token, until the token is revoked', async () => {
    const send = await starting
    const token = await logInFor(send, member)
    const reports = { data: { reports: { userId: 1 } }, code: undefined }
    expect(read(await query(send, 'reports { userId }', token))).toEqual(reports)

    await send('POST', '/jwt-auth/v1/token/revoke', bearer(token))
    expect(readContract(await query(send, 'reports { userId }', token))).toEqual(invalid)
  })

  it('serves the other fields without a token', async () => {
    expect(read(await query(await starting, 'home'))).toEqual({ data: { home: 'home' }, code: undefined })
  })

  it('rejects a field without a token with UNAUTHENTICATED, and a rule with FORBIDDEN', async () => {
    const send = await starting
    expect(read(await query(send, 'reports { userId }'))).toEqual(failure('UNAUTHENTICATED'))
    expect(read(await query(send, 'admin', await logInFor(send, member)))).toEqual(failure('FORBIDDEN'))
    expect(read(await query(send, 'admin', await logInFor(send, admin)))).toMatchObject({ data: { admin: 'admin' } })
  })
})
