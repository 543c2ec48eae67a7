import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type Request, type Response, Router } from 'express'

const folder = fileURLToPath(new URL('../../public', import.meta.url))

// The files that the package publishes, even when Node runs the sources of the other packages.
const clientFolder = fileURLToPath(new URL('../../node_modules/@jwt-auth/client/dist', import.meta.url))

/** Text for `index.html`, by the names of its comments, such as `<!-- routes -->`. */
export type PageParts = Readonly<Record<string, string>>

/** Creates the handler that sends the page of a browser. Its addresses are relative, so its path must end with a slash. */
export const sendPage =
  (parts: PageParts) =>
  async (req: Request, res: Response): Promise<void> => {
    const [path = ''] = req.originalUrl.split('?')
    if (!path.endsWith('/')) return res.redirect(`${path.slice(path.lastIndexOf('/') + 1)}/`)
    const template = await readFile(join(folder, 'index.html'), 'utf8')
    const page = template.replaceAll(/<!-- (\w+) -->/g, (_, name) => parts[name] ?? '')
    res.set(headers).type('html').send(page)
  }

/** Creates the routes below `/page`: the scripts and the styles of the page, and the built files of `@jwt-auth/client`. */
export const pageFiles = (): Router => {
  const router = Router()
  router.use('/page', (_req, res, next) => {
    res.set('X-Content-Type-Options', 'nosniff')
    next()
  })
  router.use('/page/client', express.static(clientFolder))
  router.use('/page', express.static(folder, { index: false }))
  return router
}

// Files of this origin only, and neither inline scripts nor inline styles. No form is sent by the browser itself.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

const headers = {
  'Content-Security-Policy': policy.join('; '),
  // No page of another origin can hold a reference to this one, and receive its key.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
}
