import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { listen } from '@jwt-auth/test-support'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../../src/faults/proxy/fault-proxy.js'
import { breakOff } from '../../../src/faults/proxy/proxied-connection.js'

let received: string
let server: Server
let proxy: FaultProxy
let clients: Socket[]

/** Starts a server that sends back what it receives. */
const startEcho = async (note: (text: string) => void): Promise<Server> => {
  const echo = createServer((socket) => {
    socket.setEncoding('utf8').on('error', () => {})
    socket.on('data', (text: string) => {
      note(text)
      socket.write(text)
    })
  })
  await listen(echo)
  return echo
}

const portOf = (listener: Server): number => {
  const address = listener.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const startOpening = (): Socket => {
  const { hostname, port } = new URL(proxy.url)
  const client = connect(Number(port), hostname).setEncoding('utf8')
  clients.push(client)
  return client
}

const open = async (): Promise<Socket> => {
  const client = startOpening()
  await once(client, 'connect')
  return client
}

const ask = async (client: Socket, text: string): Promise<unknown> => {
  client.write(text)
  const [response] = await once(client, 'data')
  return response
}

/** Makes a round trip to another server. What other connections sent before has arrived by then. */
const askAnother = async (): Promise<void> => {
  const echo = await startEcho(() => {})
  const client = connect(portOf(echo), '127.0.0.1').setEncoding('utf8')
  await ask(client, 'x')
  client.destroy()
  echo.close()
}

const countConnections = promisify((listener: Server, done: (error: Error | null, count: number) => void) =>
  listener.getConnections(done),
)

const failureOf = async (client: Socket): Promise<unknown> => {
  const [error] = await once(client, 'error')
  return error.code
}

beforeEach(async () => {
  received = ''
  clients = []
  server = await startEcho((text) => {
    received += text
  })
  proxy = await startFaultProxy(`postgres://somebody@127.0.0.1:${portOf(server)}/somewhere?x=1`)
})

afterEach(async () => {
  for (const client of clients) client.destroy()
  await proxy.close()
  server.close()
})

describe('a fault proxy without a fault', () => {
  it('keeps the URL except for host and port', () => {
    expect(proxy.url).toMatch(/^postgres:\/\/somebody@127\.0\.0\.1:\d+\/somewhere\?x=1$/)
  })

  it('passes bytes on, and counts the connections', async () => {
    const client = await open()
    expect(await ask(client, 'hello')).toBe('hello')
    expect(proxy.connections()).toBe(1)
    client.destroy()
    await expect.poll(proxy.connections).toBe(0)
  })

  it('resets connections when the server cannot be reached', async () => {
    server.close()
    expect(await failureOf(await open())).toBe('ECONNRESET')
  })
})

describe('a fault proxy that delays or drops bytes', () => {
  it('delays bytes, and delivers them in order when the fault changes', async () => {
    const client = await open()
    await ask(client, 'before ')
    await proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: 60_000 })
    client.write('one ')
    client.write('two')
    await askAnother()
    expect(received).toBe('before ')
    await proxy.setFault({ kind: 'none' })
    await expect.poll(() => received).toBe('before one two')
  })

  it('delivers bytes in order with random delays', async () => {
    const client = await open()
    const delays = [40, 0, 20, 0]
    await proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: () => delays.shift() ?? 0 })
    for (const text of ['a', 'b', 'c', 'd']) {
      client.write(text)
      await askAnother()
    }
    await expect.poll(() => received).toBe('abcd')
  })

  it('drops bytes on the way to the server, and keeps a connection silent that has lost some', async () => {
    const [client, idle] = [await open(), await open()]
    await ask(client, 'one ')
    await proxy.setFault({ kind: 'drop', way: 'to-server' })
    client.write('two ')
    await askAnother()
    await proxy.setFault({ kind: 'none' })
    client.write('three ')
    expect(await ask(idle, 'four')).toBe('four')
    expect(received).toBe('one four')
  })

  it('drops responses only', async () => {
    const client = await open()
    await proxy.setFault({ kind: 'drop', way: 'to-client' })
    const responses: unknown[] = []
    client.on('data', (response) => responses.push(response))
    // When the server has received the last letter, its responses to the earlier ones have passed
    // the proxy.
    let sent = ''
    for (const letter of 'one') {
      client.write(letter)
      sent += letter
      await expect.poll(() => received).toBe(sent)
    }
    expect(responses).toEqual([])
    await proxy.setFault({ kind: 'none' })
    expect(await ask(await open(), ' two')).toBe(' two')
    expect(responses).toEqual([])
  })
})

describe('a fault proxy that resets connections', () => {
  it('resets existing and new connections until the fault ends', async () => {
    const client = await open()
    const failure = failureOf(client)
    await proxy.setFault({ kind: 'reset' })
    expect(await failure).toBe('ECONNRESET')
    expect(await failureOf(startOpening())).toBe('ECONNRESET')
    await proxy.setFault({ kind: 'none' })
    expect(await ask(await open(), 'hello')).toBe('hello')
  })

  it('half-opens connections: clients notice nothing until they send bytes after the fault', async () => {
    const client = await open()
    await ask(client, 'one')
    await proxy.setFault({ kind: 'half-open' })
    await expect.poll(() => countConnections(server)).toBe(0)
    const late = await open()
    client.write('two')
    expect([client.destroyed, late.destroyed, proxy.connections()]).toEqual([false, false, 2])
    await proxy.setFault({ kind: 'none' })
    const failure = failureOf(client)
    client.write('three')
    expect(await failure).toBe('ECONNRESET')
    expect(received).toBe('one')
  })
})

describe('a fault proxy that cuts a connection', () => {
  it('resets one connection before the server has received a request', async () => {
    const [client, other] = [await open(), await open()]
    await proxy.setFault({ kind: 'cut', at: 'request', text: 'secret' })
    expect(await ask(other, 'hello ')).toBe('hello ')
    const failure = failureOf(client)
    client.write('a secret')
    expect(await failure).toBe('ECONNRESET')
    expect(await ask(other, 'another secret')).toBe('another secret')
    expect(received).toBe('hello another secret')
  })

  it('resets one connection after the server has received a request', async () => {
    const client = await open()
    await proxy.setFault({ kind: 'cut', at: 'response', text: 'secret' })
    const failure = failureOf(client)
    client.write('a secret')
    expect(await failure).toBe('ECONNRESET')
    expect(received).toBe('a secret')
  })
})

/** Accepts a connection and resets it. Returns the last event of its socket. */
const breakOffAfter = async (act: (socket: Socket) => void): Promise<string> => {
  const listener = createServer()
  onTestFinished(() => {
    listener.close()
  })
  const client = connect(await listen(listener), '127.0.0.1').on('error', () => {})
  const [socket]: Socket[] = await once(listener, 'connection')
  if (socket === undefined) expect.unreachable()
  const ending = Promise.race([
    once(socket, 'close').then(() => 'close'),
    once(socket, 'error').then(([error]) => String(error)),
  ])
  act(socket)
  breakOff(socket)
  const ended = await ending
  client.destroy()
  return ended
}

it.each<[string, (socket: Socket) => void]>([
  ['that is open', () => {}],
  ['that has started to send its end', (socket) => socket.end()],
  ['that has bytes and its end to send', (socket) => socket.end('x'.repeat(10_000_000))],
  ['that is closed', (socket) => socket.destroy()],
])('breakOff closes a socket %s', async (_, act) => {
  expect(await breakOffAfter(act)).toBe('close')
})
