import type { Server } from 'node:http'
import { listen as listenOn } from '@jwt-auth/test-support'
import { createHttpClient, type HttpResponse, json, type Send } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
import { afterAll, expect } from 'vitest'

export const member = { username: 'demo', password: 'correct horse battery staple' }
export const admin = { username: 'jane', password: 'another long passphrase' }

/** Starts a server on a free port. It stops after the tests of the file. */
export const listen = async (server: Server): Promise<number> => {
  afterAll(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  return listenOn(server)
}

export const createClient = (port: number): Send => createHttpClient(`http://127.0.0.1:${port}`).send

/** Starts a program of this folder. Resolves to a client of it. */
export const startProgram = async (program: string): Promise<Send> => {
  const { server }: { readonly server: Server } = await import(`../../src/${program}.ts`)
  return createClient(await listen(server))
}

/** Logs in, and resolves to the body of the response. */
export const logIn = async (send: Send, credentials: object): Promise<unknown> => {
  const { status, text } = await send('POST', '/jwt-auth/v1/token', json(credentials))
  expect({ status, text }).toMatchObject({ status: 200 })
  return parseJson(text)
}

/** Logs in, and resolves to the access token. */
export const logInFor = async (send: Send, credentials: object): Promise<string> =>
  readTextMember(await logIn(send, credentials), 'token')

/** The parts of a response that the HTTP interface describes, without the headers that frameworks add. */
export const readContract = ({ status, headers, text }: HttpResponse) => ({
  status,
  type: headers['content-type'],
  cache: headers['cache-control'],
  challenge: headers['www-authenticate'],
  etag: headers['etag'],
  body: parseJson(text),
})

const rejection = (status: number, error: string, code: string, message: string) => ({
  status,
  type: 'application/json; charset=utf-8',
  cache: 'no-store',
  challenge: `Bearer realm="jwt-auth"${error}`,
  etag: undefined,
  body: { code, message, data: { status } },
})

export const noHeader = rejection(401, '', 'jwt_auth_no_auth_header', 'Authorization header not found.')
export const invalid = rejection(401, ', error="invalid_token"', 'jwt_auth_invalid_token', 'Invalid token.')
export const malformed = rejection(
  401,
  ', error="invalid_token"',
  'jwt_auth_bad_auth_header',
  'Authorization header malformed.',
)
export const forbidden = rejection(
  403,
  ', error="insufficient_scope"',
  'jwt_auth_forbidden',
  'You are not allowed to do that.',
)
