import type { RequestListener } from 'node:http'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express4'
import type { Middleware } from '../../src/index.js'

/** Middleware and the path where it is mounted; `/` is every path. */
export interface Step {
  readonly path: string
  readonly run: Middleware
}

/** A framework that runs middleware. */
export interface Framework {
  readonly name: string
  readonly createListener: (steps: readonly Step[]) => RequestListener
}

interface App {
  use(path: string, run: Middleware): unknown
}

export const express5Framework: Framework = {
  name: 'Express 5',
  createListener: (steps) => mount(express5(), steps),
}

export const express4Framework: Framework = {
  name: 'Express 4',
  createListener: (steps) => mount(express4(), steps),
}

/** Both versions of Express with a value of `trust proxy`. */
export const behindProxies = (trust: unknown): readonly Framework[] => [
  { name: 'Express 5', createListener: (steps) => mount(express5().set('trust proxy', trust), steps) },
  { name: 'Express 4', createListener: (steps) => mount(express4().set('trust proxy', trust), steps) },
]

/** Every framework that the middleware supports. */
export const frameworks: readonly Framework[] = [
  express5Framework,
  express4Framework,
  { name: 'Connect', createListener: (steps) => mount(connect(), steps) },
  { name: 'node:http', createListener: (steps) => toBareListener(steps) },
]

const mount = <A extends App>(app: A, steps: readonly Step[]): A => {
  for (const { path, run } of steps) app.use(path, run)
  return app
}

/** A host without a framework: runs one step after the other and removes the mount path from the URL. */
const toBareListener =
  (steps: readonly Step[]): RequestListener =>
  (req, res) => {
    const target = req.url ?? '/'
    const runFirst = ([step, ...others]: readonly Step[]): void => {
      if (step === undefined) return
      const below = takeOff(step.path, target)
      const runNext = (): void => {
        req.url = target
        runFirst(others)
      }
      if (below === undefined) {
        runNext()
        return
      }
      req.url = below
      step.run(req, res, runNext)
    }
    runFirst(steps)
  }

const takeOff = (path: string, target: string): string | undefined => {
  if (path === '/') return target
  if (!target.startsWith(path)) return undefined
  const below = target.slice(path.length) || '/'
  return /^[/?]/.test(below) ? below : undefined
}
