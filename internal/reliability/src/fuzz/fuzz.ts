import { inspect } from 'node:util'
import { type Auth, isAuthError } from '@jwt-auth/express'
import fc from 'fast-check'
import { exchange, type RawResponse } from './exchange.js'
import { type FuzzHost, fuzzUser } from './fuzz-host.js'
import { type FuzzedRequest, requests, writeRequest } from './fuzzed-request.js'
import { applyEdit, type EditedTokens, isIssued, type TokenEdit, tokenEdits } from './fuzzed-token.js'
import { judgeResponse } from './judge-response.js'

/**
 * Sends requests of every kind to every route. Resolves to a complaint about a response, or about
 * its processor time, with the shortest request found, or to `undefined`.
 */
export const fuzzRoutes = async (host: FuzzHost, options: FuzzOptions): Promise<string | undefined> => {
  const usualTime = await measureShortest(() => exchange(host.url, plainRequest), { attempts: 50 })
  const budget = usualTime * mostTimes
  return findComplaint(requests, (request) => tryRequest(host, request, budget), options)
}

// A request that no route responds to is among the cheapest.
const plainRequest = Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')

/**
 * The processor time of a request, a login with the lowest cost of bcrypt included, is at most this
 * many times that of a plain one.
 */
const mostTimes = 50

// Each request has new tokens, since it may revoke them.
const tryRequest = async (host: FuzzHost, request: FuzzedRequest, budget: number): Promise<string | undefined> => {
  const [one, other] = [await host.issue(), await host.issue()]
  const written = writeRequest(request, {
    access: { token: one.accessToken, other: other.accessToken },
    refresh: { token: one.refreshToken, other: other.refreshToken },
  })
  const before = host.faults.length
  const send = (): Promise<RawResponse | undefined> => exchange(host.url, written.bytes)
  try {
    const start = process.cpuUsage()
    const response = await send()
    const fault = host.faults[before]
    if (fault !== undefined) return `onError received ${inspect(fault)}`
    const complaint = judgeResponse(response, request, written)
    if (complaint !== undefined || toTotal(process.cpuUsage(start)) <= budget) return complaint
    // Garbage collection and compilation add to single requests.
    const time = await measureShortest(send, { attempts: 5 })
    return time <= budget
      ? undefined
      : `the request takes ${time} µs of processor time, and at most ${budget} are allowed`
  } catch (failure) {
    return String(failure)
  }
}

/** Returns the shortest processor time of several calls, in microseconds. */
const measureShortest = async (
  call: () => Promise<unknown>,
  { attempts }: { readonly attempts: number },
): Promise<number> => {
  let shortest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const start = process.cpuUsage()
    await call()
    shortest = Math.min(shortest, toTotal(process.cpuUsage(start)))
  }
  return shortest
}

const toTotal = ({ user, system }: NodeJS.CpuUsage): number => user + system

/**
 * Verifies access tokens of every kind, without HTTP. An issued token must be accepted. A changed
 * token must be refused as an invalid token. Resolves to a complaint with the shortest change
 * found, or to `undefined`.
 */
export const fuzzVerifier = async (host: FuzzHost, options: FuzzOptions): Promise<string | undefined> => {
  const [one, another] = [await host.issue(), await host.issue()]
  const tokens: EditedTokens = { token: one.accessToken, other: another.accessToken }
  return findComplaint(tokenEdits, (edit) => present(host, tokens, edit), options)
}

const present = async (host: FuzzHost, tokens: EditedTokens, edit: TokenEdit): Promise<string | undefined> => {
  const presented = applyEdit(edit, tokens)
  try {
    const auth = await host.verify(presented)
    return isIssued(presented, tokens) ? judge(auth) : 'a changed token was accepted'
  } catch (error) {
    if (!isAuthError(error) || error.code !== 'jwt_auth_invalid_token') return `it threw ${inspect(error)}`
    return presented === tokens.token ? 'a valid token was refused' : undefined
  }
}

const judge = ({ userId, claims }: Auth): string | undefined =>
  userId === fuzzUser.id && claims.data.user.id === fuzzUser.id ? undefined : 'the token was accepted for another user'

/** How many inputs to try. */
export interface FuzzOptions {
  readonly runs: number
  /** Determines the inputs. @default another seed each time */
  readonly seed?: number | undefined
  /** Whether to look for a shorter input after a complaint. @default true */
  readonly isShortened?: boolean
}

/**
 * Tries inputs until one leads to a complaint. Resolves to the complaint with the shortest such
 * input that was found, or to `undefined`.
 */
const findComplaint = async <T>(
  inputs: fc.Arbitrary<T>,
  tryInput: (input: T) => Promise<string | undefined>,
  { runs, seed, isShortened = true }: FuzzOptions,
): Promise<string | undefined> => {
  let wrong = ''
  const property = fc.asyncProperty(inputs, async (input) => {
    const complaint = await tryInput(input)
    wrong = complaint ?? wrong
    return complaint === undefined
  })
  const {
    failed,
    seed: used,
    counterexample,
  } = await fc.check(property, {
    numRuns: runs,
    endOnFailure: !isShortened,
    ...(seed !== undefined && { seed }),
  })
  return failed ? `seed ${used}: ${wrong}\n${inspect(counterexample?.[0], { depth: 9 })}` : undefined
}
