import { fileURLToPath } from 'node:url'
import type { JwtAuth } from '@jwt-auth/express'
import { openApiDocument } from '@jwt-auth/express/openapi'
import express, { Router } from 'express'

const swaggerUi = fileURLToPath(new URL('../../node_modules/swagger-ui-dist', import.meta.url))

/** Creates `GET /openapi.json`, the OpenAPI document of the routes of jwt-auth, and `/docs/`, which shows it in Swagger UI. */
export const apiDescriptionRoutes = (auth: JwtAuth, basePath: string): Router => {
  const router = Router()
  const document = openApiDocument(auth, { servers: [basePath === '' ? '/' : basePath] })
  router.get('/openapi.json', (_req, res) => {
    res.json(document)
  })
  router.get('/docs/swagger-initializer.js', (_req, res) => {
    res.type('js').send(initializer)
  })
  router.use('/docs', express.static(swaggerUi, { setHeaders: (res) => res.set(headers) }))
  return router
}

const initializer = "SwaggerUIBundle({ url: '../openapi.json', dom_id: '#swagger-ui' })\n"

// Swagger UI sets inline styles.
const headers = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
}
