import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { makeFolder } from '../../support/runner/folder.ts'

const isRoot = process.getuid?.() === 0

async function start(folder: string): Promise<EmbeddedPostgres> {
  const settings = { fsync: 'off' }
  const systemFolder = join(folder, 'system')
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'pg'), settings, systemFolder, log: () => {} })
  onTestFinished(() => postgres.stop())
  return postgres
}

async function query({ socketFolder, port }: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ host: socketFolder, port, user: 'postgres', database: 'postgres' })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

/** Asks for a connection as the superuser, in a process of another account. Tells the first letter of the answer. */
async function knockAs(uid: number, { socketFolder }: EmbeddedPostgres): Promise<string> {
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0')
  const head = Buffer.alloc(8)
  head.writeInt32BE(parameters.length + 8, 0)
  head.writeInt32BE(196_608, 4) // version 3.0 of the protocol
  const greeting = Buffer.concat([head, parameters]).toString('hex')
  const script = `const socket = require('node:net').connect(process.argv[1], () => socket.write(Buffer.from('${greeting}', 'hex')))
    socket.on('data', (data) => { process.stdout.write(data.toString('latin1', 0, 1)); socket.destroy() })
    socket.on('error', (error) => process.stdout.write(error.code))`
  const child = spawn(process.execPath, ['-e', script, join(socketFolder, '.s.PGSQL.5432')], {
    uid,
    gid: uid,
    cwd: '/',
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  await once(child, 'close')
  return output
}

test.runIf(isRoot)(
  'started by root, no other account is let in, not even the one that the server runs as',
  async () => {
    const { folder, remove } = await makeFolder()
    onTestFinished(remove)
    const postgres = await start(folder)
    const { uid } = await stat(postgres.dataFolder)
    expect(uid).not.toBe(0)
    expect(await knockAs(uid, postgres)).toBe('E')
    expect(await knockAs(0, postgres)).toBe('R')
    for (const file of ['pg_hba.conf', 'pg_ident.conf'])
      expect(await readFile(join(postgres.dataFolder, file), 'utf8')).not.toMatch(/trust/)

    // Earlier versions wrote this file.
    await postgres.stop()
    await writeFile(join(postgres.dataFolder, 'pg_hba.conf'), 'local all all trust\n')
    const again = await start(folder)
    expect(await knockAs(uid, again)).toBe('E')
    expect(await query(again, 'select 1 as one')).toEqual([{ one: 1 }])
  },
)
