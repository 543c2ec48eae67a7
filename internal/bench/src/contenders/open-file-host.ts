import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import express, { type Express } from 'express'

// Any file will do: that of this very code is there.
const file = fileURLToPath(import.meta.url)

/** A host with one route that reads a file, `/file`. It believes its proxy where clients come from. */
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
