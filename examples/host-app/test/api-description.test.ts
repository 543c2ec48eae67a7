import { describe } from 'vitest'
import { it } from './support/it.js'
import { inMemory } from './support/site.js'

describe.concurrent('the description of the API', () => {
  it('is an OpenAPI document whose server is the base path', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory, { BASE_PATH: '/wp-json' })
    const response = await fetch(`${origin}/wp-json/openapi.json`)
    expect(await response.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/wp-json' }] })
  })

  it('is shown in Swagger UI, whose files come from the site', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory)
    const page = await (await fetch(`${origin}/docs/`)).text()
    const files = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file = '']) => file)
    expect(files).toContain('swagger-initializer.js')
    const statuses = await Promise.all(files.map(async (file) => (await fetch(`${origin}/docs/${file}`)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await (await fetch(`${origin}/docs/swagger-initializer.js`)).text()).toContain('../openapi.json')
  })
})
