import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import express, { type Express } from 'express'

// Any file will do. This one exists.
const file = fileURLToPath(import.meta.url)

/** Creates an application with the route `/file`, which reads a file. The application trusts its proxy. */
export const openFileHost = (): Express => {
  const app = express()
  app.set('trust proxy', 'loopback')
  app.get('/', (_req, res) => {
    res.json({})
  })
  app.get('/file', async (_req, res) => {
    res.type('text/plain').send(await readFile(file))
  })
  return app
}
