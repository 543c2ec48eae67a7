import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../../src/faults/proxy/fault-proxy.js'

let heard: string
let server: Server
let proxy: FaultProxy
let clients: Socket[]

/** Answers each line with the same line, and notes what it heard. */
const startEcho = async (): Promise<Server> => {
  const echo = createServer((socket) => {
    socket.setEncoding('utf8').on('error', () => {})
    socket.on('data', (text) => {
      heard += text
      socket.write(text)
    })
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
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
  const [answer] = await once(client, 'data')
  return answer
}

/** A round trip on a server of the same machine; what other connections sent before it is there by then. */
const askAnother = async (): Promise<void> => {
  const echo = await startEcho()
  const client = connect(portOf(echo), '127.0.0.1').setEncoding('utf8')
  const before = heard
  await ask(client, 'x')
  heard = before
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
  heard = ''
  clients = []
  server = await startEcho()
  proxy = await startFaultProxy(`postgres://somebody@127.0.0.1:${portOf(server)}/somewhere?x=1`)
})

afterEach(async () => {
  for (const client of clients) client.destroy()
  await proxy.close()
  server.close()
})

describe('a fault proxy', () => {
  it('keeps all of the URL but host and port', () => {
    expect(proxy.url).toMatch(/^postgres:\/\/somebody@127\.0\.0\.1:\d+\/somewhere\?x=1$/)
  })

  it('hands everything on, and counts and describes the connections', async () => {
    const client = await open()
    expect(await ask(client, 'hello')).toBe('hello')
    expect(proxy.connections()).toBe(1)
    expect(proxy.describeClients()).toEqual([
      expect.stringMatching(/^port \d+, \d+ ms old, first sent "hello", last sent "hello"$/),
    ])
    client.destroy()
    await expect.poll(proxy.connections).toBe(0)
  })

  it('resets connections whose server can not be reached', async () => {
    server.close()
    expect(await failureOf(await open())).toBe('ECONNRESET')
  })

  it('holds delayed bytes back, and lets them arrive in their order when the fault changes', async () => {
    const client = await open()
    await ask(client, 'before ')
    await proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: 60_000 })
    client.write('one ')
    client.write('two')
    await askAnother()
    expect(heard).toBe('before ')
    await proxy.setFault({ kind: 'none' })
    await expect.poll(() => heard).toBe('before one two')
  })

  it('lets nothing overtake what was sent before, whatever delays are drawn', async () => {
    const client = await open()
    const delays = [40, 0, 20, 0]
    await proxy.setFault({ kind: 'delay', way: 'to-server', delayMs: () => delays.shift() ?? 0 })
    for (const text of ['a', 'b', 'c', 'd']) {
      client.write(text)
      await askAnother()
    }
    await expect.poll(() => heard).toBe('abcd')
  })

  it('loses bytes on the way to the server, and what lost some stays silent for good', async () => {
    const [client, idle] = [await open(), await open()]
    await ask(client, 'one ')
    await proxy.setFault({ kind: 'drop', way: 'to-server' })
    client.write('two ')
    await askAnother()
    await proxy.setFault({ kind: 'none' })
    client.write('three ')
    expect(await ask(idle, 'four')).toBe('four')
    expect(heard).toBe('one four')
  })

  it('loses answers alone, when told so', async () => {
    const client = await open()
    await proxy.setFault({ kind: 'drop', way: 'to-client' })
    const answers: unknown[] = []
    client.on('data', (answer) => answers.push(answer)).write('one')
    await expect.poll(() => heard).toBe('one')
    await proxy.setFault({ kind: 'none' })
    expect(await ask(await open(), ' two')).toBe(' two')
    expect(answers).toEqual([])
  })

  it('resets connections that stand and those that come, until the fault is over', async () => {
    const client = await open()
    const failure = failureOf(client)
    await proxy.setFault({ kind: 'reset' })
    expect(await failure).toBe('ECONNRESET')
    expect(await failureOf(startOpening())).toBe('ECONNRESET')
    await proxy.setFault({ kind: 'none' })
    expect(await ask(await open(), 'hello')).toBe('hello')
  })

  it('half-opens: the server is gone, clients notice nothing, and learn of it when they speak afterwards', async () => {
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
    expect(heard).toBe('one')
  })

  it('refuses new connections and leaves those that stand', async () => {
    const client = await open()
    await proxy.setFault({ kind: 'refuse' })
    await expect(open()).rejects.toThrow('ECONNREFUSED')
    expect(await ask(client, 'hello')).toBe('hello')
    await proxy.setFault({ kind: 'none' })
    expect(await ask(await open(), 'again')).toBe('again')
  })

  it('cuts one question off before the server has heard it', async () => {
    const [client, other] = [await open(), await open()]
    await proxy.setFault({ kind: 'cut', at: 'question', text: 'secret' })
    expect(await ask(other, 'hello ')).toBe('hello ')
    const failure = failureOf(client)
    client.write('a secret')
    expect(await failure).toBe('ECONNRESET')
    expect(await ask(other, 'another secret')).toBe('another secret')
    expect(heard).toBe('hello another secret')
  })

  it('cuts one answer off when the server has heard the question', async () => {
    const client = await open()
    await proxy.setFault({ kind: 'cut', at: 'answer', text: 'secret' })
    const failure = failureOf(client)
    client.write('a secret')
    expect(await failure).toBe('ECONNRESET')
    expect(heard).toBe('a secret')
  })
})
