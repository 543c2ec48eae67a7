import { createRequire } from 'node:module'
import type { RequestHandler } from 'express'
import express from 'express'
import { auditRoutes, createTestAuth } from '../../src/index.js'

/** The users of the tests. */
export const users = [
  { id: 1, email: 'ann@example.com', username: 'ann', password: 'correct horse', role: 'admin' },
  { id: 2, email: 'bob@example.com', username: 'bob', password: 'battery staple', role: 'editor' },
]

/** Creates a service whose reports the test does not print. */
export const createAuth = () => createTestAuth({ users, onError: () => {} })

/** A handler that responds. */
export const respond: RequestHandler = (_req, res) => {
  res.json({ handled: true })
}

/** Middleware that passes every request on. */
export const passOn: RequestHandler = (_req, _res, next) => next()

/** Returns the routes of an application, each as one line: its access, method and path. */
export const listRoutes = (app: object): readonly string[] =>
  auditRoutes(app).map(({ access, method, path }) => `${access} ${method} ${path}`)

// Express 4 has all that these tests use. `require` returns it without its types, which differ.
const express4: typeof express = createRequire(import.meta.url)('express4')

/** Both versions of Express. */
export const versions = [
  ['Express 5', express],
  ['Express 4', express4],
] as const

/** A version of Express. */
export type ExpressVersion = typeof express
