import type { RequestListener, ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { fuzzRoutes, fuzzVerifier } from '../../src/fuzz/fuzz.js'
import { type FuzzHost, startFuzzHost } from '../../src/fuzz/fuzz-host.js'

type Wrap = (listener: RequestListener) => RequestListener

/** Replaces a text in each body before it is sent. */
const replacing =
  (text: string, by: string): Wrap =>
  (listener) =>
  (req, res) => {
    const { end } = res
    const changed = (body: unknown): ServerResponse => {
      const sent = String(body ?? '').replace(text, by)
      if (res.hasHeader('Content-Length')) res.setHeader('Content-Length', Buffer.byteLength(sent))
      return end.call(res, sent, 'utf8')
    }
    Object.assign(res, { end: changed })
    listener(req, res)
  }

const repeatingPath: Wrap = (listener) => (req, res) => {
  res.setHeader('X-Path', req.url ?? '')
  listener(req, res)
}

/** Replaces a part of the `Authorization` header before it is read. */
const changeCredential =
  (part: RegExp, by: string): Wrap =>
  (listener) =>
  (req, res) => {
    const { authorization } = req.headers
    if (authorization !== undefined) req.headers.authorization = authorization.replace(part, by)
    listener(req, res)
  }

const readingInQuadraticTime: Wrap = (listener) => (req, res) => {
  req.headers['content-type']?.search(/[\t ]*$/)
  listener(req, res)
}

const withoutHeader =
  (name: string, status: number): Wrap =>
  (listener) =>
  (req, res) => {
    const { setHeader } = res
    Object.assign(res, {
      setHeader: (given: string, value: string) =>
        given === name && res.statusCode === status ? res : setHeader.call(res, given, value),
    })
    listener(req, res)
  }

const failing =
  (isMet: (headers: string) => boolean): Wrap =>
  (listener) =>
  (req, res) => {
    if (!isMet(req.rawHeaders.join('\n'))) listener(req, res)
    else res.writeHead(500).end()
  }

/** A defect of the service, a seed with which the fuzzer finds it soon, and the complaint of the fuzzer. */
type RouteDefect = readonly [name: string, wrap: Wrap, seed: number, complaint: string]

const routeDefects: readonly RouteDefect[] = [
  ['a response that repeats the path', repeatingPath, 4, 'repeats a part of the request'],
  ['a Range header that breaks the server', failing((headers) => headers.includes('Range')), 15, 'the status is 500'],
  ['another status in the body', replacing('"status":415', '"status":400'), 2, 'and 400 in the body'],
  ['a code that is not in the contract', replacing('payload_too', 'entity_too'), 21, 'is not in the contract'],
  [
    'a response that may be cached',
    withoutHeader('Cache-Control', 403),
    7,
    '403 without the headers that every response',
  ],
  ['a 401 without a challenge', withoutHeader('WWW-Authenticate', 401), 5, 'with the challenge undefined'],
  ['a token whose padding is ignored', changeCredential(/=+$/, ''), 1, 'was authenticated'],
  ['a header that is read in quadratic time', readingInQuadraticTime, 3, 'of processor time'],
  ['a header whose white space is ignored', changeCredential(/^Bearer[ \t]*/, 'Bearer '), 16, 'was authenticated'],
]

it.each(routeDefects)('the fuzzer of routes finds %s', async (_, wrap, seed, complaint) => {
  const host = await startFuzzHost('express5', wrap)
  onTestFinished(host.close)
  expect(await fuzzRoutes(host, { runs: 5_000, seed, isShortened: false })).toContain(complaint)
})

it.each<[string, (verify: FuzzHost['verify']) => FuzzHost['verify'], string]>([
  ['ignored padding', (verify) => (token) => verify(token.replaceAll('=', '')), 'a changed token was accepted'],
  ['ignored bits of a part', (verify) => (token) => verify(canonical(token)), 'a changed token was accepted'],
  ['an error of another class', (verify) => (token) => verify(token.normalize('NFKC')).catch(throwOther), 'it threw'],
])('the fuzzer of the verifier finds %s', async (_, plant, complaint) => {
  const host = await startFuzzHost('node:http')
  onTestFinished(host.close)
  const planted = { ...host, verify: plant(host.verify) }
  expect(await fuzzVerifier(planted, { runs: 5_000, seed: 1, isShortened: false })).toContain(complaint)
})

/** Returns what a lax parser makes of a token. */
const canonical = (token: string): string =>
  token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('base64url'))
    .join('.')

const throwOther = (): never => {
  throw new RangeError('Invalid string length')
}
