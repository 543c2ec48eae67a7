import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { createAddressReader } from '../src/client-address.js'
import { ClientRequest } from '../src/client-request.js'
import { bcryptHasher, createHashingQueue, passwordUsers } from '../src/index.js'
import { byName } from './support/by-name.js'
import { authenticated, expectResponse, loginFailed } from './support/expected-responses.js'
import { readTokens, requestToken } from './support/flows.js'
import { express5Framework, type Framework, frameworks } from './support/frameworks.js'
import { createLatch, createLatchedUsers, type Latch } from './support/latch.js'
import { listen, startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const body = JSON.stringify({ username: 'ada', password })

const login = [
  'POST /jwt-auth/v1/token HTTP/1.1',
  'Host: x',
  'User-Agent: test',
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n')

const connectTo = ({ port }: TestHost): Socket => connect(port, '127.0.0.1').on('error', () => {})

/** Expects that a login succeeds, and that nothing was reported. */
const expectLogin = async (host: TestHost): Promise<void> => {
  const response = await requestToken(host)
  expectResponse(response, authenticated(readTokens(response), adaFields))
  expect(host.reports).toStrictEqual([])
}

/** Users whose logins wait in a queue behind a hash that is in progress, and how many passwords were hashed. */
const createQueuedUsers = (inProgress: Latch) => {
  const queue = createHashingQueue({ concurrency: 1 })
  const { verify, ...hasher } = bcryptHasher({ cost: 4 })
  const counts = { queued: 0, hashed: 0 }
  let onQueued = (): void => {}
  const find = async () => undefined
  const users = passwordUsers({
    findByUsername: find,
    findById: find,
    hasher: {
      ...hasher,
      verify: (...given) => {
        counts.hashed += 1
        return verify(...given)
      },
    },
    queue: {
      run: (...given) => {
        counts.queued += 1
        onQueued()
        return queue.run(...given)
      },
    },
  })
  const held = queue.run(inProgress.pass)
  const untilQueued = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onQueued = () => {
        if (counts.queued >= count) resolve()
      }
    })
  return { users, counts, untilQueued, held }
}

describe.each(byName(frameworks))('a client that disconnects from %s while its login waits', (_, framework) => {
  it('is not hashed, not counted as a failed login and not reported', async () => {
    const inProgress = createLatch()
    const { users, counts, untilQueued, held } = createQueuedUsers(inProgress)
    const rateLimits = { accountAndNetwork: { points: 2, durationSeconds: 60 } }
    let closed: Promise<void>[] = []
    const host = await startHost(framework, {
      options: { users, rateLimits },
      before: [
        (_req, res, next) => {
          closed = [...closed, new Promise((resolve) => res.once('close', resolve))]
          next()
        },
      ],
    })
    const queued = untilQueued(2)
    const sockets = [0, 1].map(() => connectTo(host))
    for (const socket of sockets) socket.write(login)
    await queued
    for (const socket of sockets) socket.resetAndDestroy()
    await Promise.all(closed)
    inProgress.open()
    await held
    await setImmediate()
    expect(counts).toEqual({ queued: 2, hashed: 0 })

    // Two failed logins are allowed, and none was counted.
    for (const expected of [loginFailed, loginFailed]) expectResponse(await requestToken(host), expected)
    expect(counts).toEqual({ queued: 4, hashed: 2 })
    expect(host.reports).toStrictEqual([])
  })
})

describe('a client that has disconnected before its login reaches the service', () => {
  it('is neither looked up nor counted', async () => {
    const gate = createLatch()
    let closed = Promise.resolve()
    let passed = Promise.resolve()
    let isFirst = true
    const host = await startHost(express5Framework, {
      options: { rateLimits: { accountAndNetwork: { points: 1, durationSeconds: 60 } } },
      before: [
        express.json(),
        (req, _res, next) => {
          if (!isFirst) return next()
          isFirst = false
          closed = new Promise((resolve) => req.socket.once('close', () => resolve()))
          passed = gate.pass().then(() => next())
        },
      ],
    })
    const socket = connectTo(host)
    socket.write(login)
    await gate.reached
    socket.resetAndDestroy()
    await closed
    gate.open()
    await passed
    await setImmediate()

    expect(host.users.calls).toStrictEqual([])
    await expectLogin(host)
  })
})

const requestOptions = {
  readAddress: createAddressReader(undefined),
  device: undefined,
  startTimer: () => () => {},
}

describe('the address of a request', () => {
  it('is the address on arrival, also after the connection is closed', async () => {
    const read = new Promise((resolve, reject) => {
      listen((req, res) => {
        const request = new ClientRequest(req, res, requestOptions)
        req.socket.once('close', () => resolve([request.address, request.device, request.signal]))
        req.socket.destroy()
      }).then(
        (port) =>
          connect(port, '127.0.0.1')
            .on('error', () => {})
            .write(login),
        reject,
      )
    })
    expect(await read).toEqual([
      '127.0.0.1',
      { userAgent: 'test', ipAddress: '127.0.0.1' },
      expect.objectContaining({ aborted: true }),
    ])
  })
})

describe('a request of a serverless platform, whose adapter passes a plain object as the socket', () => {
  it('has a connection whose end only the response reports', () => {
    const req = new IncomingMessage(new Socket())
    Object.defineProperty(req, 'socket', { value: { remoteAddress: '192.0.2.1' } })
    const res = new ServerResponse(req)
    const signal = new ClientRequest(req, res, requestOptions).signal
    expect(signal?.aborted).toBe(false)
    res.emit('close')
    expect(signal?.aborted).toBe(true)
  })
})

describe('the signal of a connection', () => {
  const watch = (req: IncomingMessage, res = new ServerResponse(req)) => ({
    res,
    signal: new ClientRequest(req, res, requestOptions).signal,
  })

  it('is one listener of the socket for any number of requests, and aborts for each of them', () => {
    const socket = new Socket()
    const before = socket.listenerCount('close')
    const signals = Array.from({ length: 20 }, () => watch(new IncomingMessage(socket)).signal)
    expect(socket.listenerCount('close')).toBe(before + 1)
    socket.emit('close')
    expect(signals.map((signal) => signal?.aborted)).toEqual(signals.map(() => true))
  })

  it('is aborted when the socket has been destroyed', () => {
    const socket = new Socket()
    socket.destroy()
    expect(watch(new IncomingMessage(socket)).signal?.aborted).toBe(true)
  })

  it('is aborted when a TCP connection has no remote address, because the client has reset it', () => {
    const socket = Object.defineProperty(new Socket(), 'localAddress', { value: '127.0.0.1' })
    expect(watch(new IncomingMessage(socket)).signal?.aborted).toBe(true)
  })

  it('does not abort after the response was sent', () => {
    const socket = new Socket()
    const { res, signal } = watch(new IncomingMessage(socket))
    res.end()
    socket.emit('close')
    expect(signal?.aborted).toBe(false)
  })
})

const head = (...headers: readonly string[]): string =>
  ['POST /jwt-auth/v1/token HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n')

const inBody = `${head(`Content-Length: ${body.length}`)}${body.slice(0, 9)}`

const cutRequests = [
  ['in the middle of a body', inBody],
  ['before the first byte of a body', head(`Content-Length: ${body.length}`)],
  ['in the middle of a chunk', `${head('Transfer-Encoding: chunked')}ff\r\n${body.slice(0, 9)}`],
  ['between two chunks', `${head('Transfer-Encoding: chunked')}5\r\n${body.slice(0, 5)}\r\n`],
] as const

const departures = [
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ['closes', (socket: Socket) => socket.destroy()],
  ['half-closes', (socket: Socket) => socket.end()],
] as const

/** Leaves while a request is being read, or while middleware that runs before waits. The next login succeeds. */
const expectNoEffect = async (
  framework: Framework,
  {
    text,
    leave,
    waits,
  }: { readonly text: string; readonly leave: (socket: Socket) => unknown; readonly waits: boolean },
) => {
  const gate = createLatch()
  let closed = Promise.resolve()
  let passed = Promise.resolve()
  const host = await startHost(framework, {
    before: [
      (req, _res, next) => {
        closed = new Promise((resolve) => req.once('close', () => resolve()))
        passed = gate.pass()
        if (!waits) return next()
        passed = passed.then(() => next())
      },
    ],
  })
  const socket = connectTo(host)
  socket.write(text)
  await gate.reached
  leave(socket)
  await closed
  gate.open()
  await passed
  await setImmediate()
  expect(host.users.calls).toStrictEqual([])
  await expectLogin(host)
}

describe.each(byName(frameworks))('a client that disconnects from %s', (_, framework) => {
  describe.each(cutRequests)('%s', (_, text) => {
    it.each(departures)('and %s its connection does not affect the next request', async (_, leave) => {
      await expectNoEffect(framework, { text, leave, waits: false })
    })
  })

  it.each(departures)('and %s its connection while other middleware runs is not reported', async (_, leave) => {
    await expectNoEffect(framework, { text: inBody, leave, waits: true })
  })

  it('or has received a response from other middleware gets no second response', async () => {
    const gate = createLatch()
    const users = createLatchedUsers(gate)
    let respondEarly = (): void => {}
    const host = await startHost(framework, {
      options: { users },
      before: [
        (_req, res, next) => {
          respondEarly = () => {
            res.statusCode = 504
            res.end('too late')
            respondEarly = () => {}
          }
          next()
        },
      ],
    })
    const early = requestToken(host)
    await gate.reached
    respondEarly()
    expect((await early).status).toBe(504)
    gate.open()
    await setImmediate()
    await setImmediate()

    await expectLogin(host)
  })
})
