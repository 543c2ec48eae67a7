import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Express } from 'express'

const fileBytes = 64 * 1024

/** A host with one route that reads a file, `/file`. It believes its proxy where clients come from. */
export const openFileHost = async (): Promise<Express> => {
  const file = join(await mkdtemp(join(tmpdir(), 'jwt-auth-bench-')), 'file')
  await writeFile(file, Buffer.alloc(fileBytes, 'x'))
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
