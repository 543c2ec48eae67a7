import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Orders, ResultMessage } from './orders.js'

/** A program in its own process. */
export interface RunningProgram<O extends Orders<O>> {
  /** Sends an order and waits for its result. Rejects with the error of the program, or when the program has ended. */
  readonly call: <Name extends keyof O & string>(
    name: Name,
    argument: Parameters<O[Name]>[0],
  ) => Promise<Awaited<ReturnType<O[Name]>>>
  /** Ends the program immediately. */
  readonly kill: () => Promise<void>
}

interface Waiter {
  readonly resolve: (result: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Starts a bundled program. The caller must kill it. It also ends with its parent. */
export const startProgram = <O extends Orders<O>>(
  path: string,
  nodeFlags: readonly string[] = [],
): RunningProgram<O> => {
  const child = spawn(process.execPath, [...nodeFlags, path], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const waiting = new Map<number, Waiter>()
  listen(child, waiting)
  let orders = 0

  const call = (name: string, argument: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      orders += 1
      waiting.set(orders, { resolve, reject })
      child.send({ number: orders, name, argument }, (error) => error && reject(error))
    })

  return {
    // The program implements the interface that its caller names.
    call: call as RunningProgram<O>['call'],
    kill: () => kill(child),
  }
}

const listen = (child: ChildProcess, waiting: Map<number, Waiter>): void => {
  child.on('message', (message: ResultMessage) => {
    const waiter = waiting.get(message.number)
    waiting.delete(message.number)
    if ('failure' in message) waiter?.reject(new Error(message.failure))
    else waiter?.resolve(message.result)
  })
  child.once('close', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`The program ended (${code ?? signal}) without a result.`))
  })
}

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
