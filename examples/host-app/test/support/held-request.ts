import { once } from 'node:events'
import { type Agent, request } from 'node:http'
import { readResponse } from '@jwt-auth/test-support/http-client'
import { demo } from './demo-users.js'
import { type JsonResponse, toJsonResponse } from './http-client.js'

/** A login of which the server has received the head, but not the body. */
export interface HeldLogin {
  /** Sends the body. */
  readonly release: () => void
  /** Rejects when the connection is cut. */
  readonly response: Promise<JsonResponse>
}

/** Sends the head of a login, and waits until the server asks for the body (RFC 9110, section 10.1.1). */
export const holdLogin = async (origin: string, agent?: Agent): Promise<HeldLogin> => {
  const body = JSON.stringify({ username: demo.username, password: demo.password })
  const outgoing = request(`${origin}/jwt-auth/v1/token`, {
    method: 'POST',
    agent,
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' },
  })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.write(body.slice(0, 10))
  return { release: () => outgoing.end(body.slice(10)), response: readResponse(outgoing).then(toJsonResponse) }
}
