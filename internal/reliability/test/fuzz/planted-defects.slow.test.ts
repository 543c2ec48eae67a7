import type { RequestListener, ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { fuzzRoutes, fuzzVerifier } from '../../src/fuzz/fuzz.js'
import { type FuzzHost, startFuzzHost } from '../../src/fuzz/fuzz-host.js'

type Wrap = (listener: RequestListener) => RequestListener

/** Changes each body before it is sent. */
const changeBody =
  (change: (body: string) => string): Wrap =>
  (listener) =>
  (req, res) => {
    const { end } = res
    const changed = (body: unknown): ServerResponse => {
      const text = change(String(body ?? ''))
      if (res.hasHeader('Content-Length')) res.setHeader('Content-Length', Buffer.byteLength(text))
      return end.call(res, text, 'utf8')
    }
    Object.assign(res, { end: changed })
    listener(req, res)
  }

const repeatingPath: Wrap = (listener) => (req, res) => {
  res.setHeader('X-Path', req.url ?? '')
  listener(req, res)
}

/** Changes the `Authorization` header before it is read. */
const changeCredential =
  (change: (header: string) => string): Wrap =>
  (listener) =>
  (req, res) => {
    const { authorization } = req.headers
    if (authorization !== undefined) req.headers.authorization = change(authorization)
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

interface RouteDefect {
  readonly wrap: Wrap
  /** A seed with which the fuzzer finds the defect soon. */
  readonly seed: number
  readonly complaint: string
}

const routeDefects: Readonly<Record<string, RouteDefect>> = {
  'a response that repeats the path': { wrap: repeatingPath, seed: 4, complaint: 'repeats a part of the request' },
  'a Range header that breaks the server': {
    wrap: failing((headers) => headers.includes('Range')),
    seed: 15,
    complaint: 'the status is 500',
  },
  'another status in the body': {
    wrap: changeBody((body) => body.replace('"status":415', '"status":400')),
    seed: 2,
    complaint: 'and 400 in the body',
  },
  'a code that is not in the contract': {
    wrap: changeBody((body) => body.replace('payload_too', 'entity_too')),
    seed: 21,
    complaint: 'is not in the contract',
  },
  'a response that may be cached': {
    wrap: withoutHeader('Cache-Control', 403),
    seed: 7,
    complaint: '403 without the headers that every response must have',
  },
  'a 401 without a challenge': {
    wrap: withoutHeader('WWW-Authenticate', 401),
    seed: 5,
    complaint: 'with the challenge undefined',
  },
  'a token whose padding is ignored': {
    wrap: changeCredential((header) => header.replace(/=+$/, '')),
    seed: 1,
    complaint: 'was authenticated',
  },
  'a header that is read in quadratic time': {
    wrap: readingInQuadraticTime,
    seed: 3,
    complaint: 'of processor time',
  },
  'a header whose white space is ignored': {
    wrap: changeCredential((header) => header.replace(/^Bearer[ \t]*/, 'Bearer ')),
    seed: 16,
    complaint: 'was authenticated',
  },
}

it.each(Object.entries(routeDefects))('the fuzzer of routes finds %s', async (_, { wrap, seed, complaint }) => {
  const host = await startFuzzHost('express5', wrap)
  onTestFinished(host.stop)
  expect(await fuzzRoutes(host, { runs: 5_000, seed, isShortened: false })).toContain(complaint)
})

it.each<[string, (verify: FuzzHost['verify']) => FuzzHost['verify'], string]>([
  ['ignored padding', (verify) => (token) => verify(token.replaceAll('=', '')), 'a changed token was accepted'],
  [
    'ignored bits at the end of a part',
    (verify) => (token) => verify(canonical(token)),
    'a changed token was accepted',
  ],
  ['an error of another class', (verify) => (token) => verify(token.normalize('NFKC')).catch(throwOther), 'it threw'],
])('the fuzzer of the verifier finds %s', async (_, plant, complaint) => {
  const host = await startFuzzHost('node:http')
  onTestFinished(host.stop)
  expect(
    await fuzzVerifier({ ...host, verify: plant(host.verify) }, { runs: 5_000, seed: 1, isShortened: false }),
  ).toContain(complaint)
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
