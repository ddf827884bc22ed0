import fastify from 'fastify'
import pg from 'pg'

/** The least that a service on PostgreSQL does at its start: one connection, one route, one port. */
const pool = new pg.Pool({ ...(JSON.parse(process.argv[2] ?? '{}') as object), max: 1 })
const server = fastify()
server.get('/livez', async () => ({ status: (await pool.query('select 1 as one')).rows[0]?.one === 1 ? 'ok' : 'bad' }))
await pool.query('select 1')
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))
process.once('SIGTERM', () => process.exit(0))
