import { execFile } from 'node:child_process'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchClientGenerators } from '../../scripts/client-generators.mjs'
import { waitForRates } from '../support/money/quotes.ts'
import { makeDatabaseWithAddresses } from '../support/money/wallets.ts'
import { startApi } from '../support/runner/api.ts'
import { makeFolder } from '../support/runner/folder.ts'

const clients = ['openapi-typescript', 'hey-api', 'openapi-zod-client'] as const

const api = await startApi({}, { database: await makeDatabaseWithAddresses() })
const generators = await fetchClientGenerators()
const { folder, remove } = await makeFolder()
const runFile = promisify(execFile)

beforeAll(async () => {
  await api.app.startWorker()
  await waitForRates(api)
  for (const place of ['nodenext', 'bundled']) await mkdir(path.join(folder, place), { recursive: true })
  const { body } = await api.get('/openapi.json')
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(body))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  // The generated clients import packages that come with the generators.
  await symlink(path.join(generators, 'node_modules'), path.join(folder, 'node_modules'))
  await cp(fileURLToPath(new URL('stories', import.meta.url)), path.join(folder, 'nodenext'), { recursive: true })
  await writeProject('nodenext', { module: 'nodenext', moduleResolution: 'nodenext', outDir: 'built' }, ['*.ts'])
  await writeProject('bundled', { module: 'preserve', moduleResolution: 'bundler', noEmit: true }, ['client'])
  await Promise.all([
    generate('nodenext', 'openapi-typescript/bin/cli.js', '../openapi.json', '-o', 'generated/openapi-typescript.ts'),
    generateByHeyApi('nodenext', 'generated/hey-api'),
    generateByHeyApi('bundled', 'client'),
    generate('nodenext', 'openapi-zod-client/bin.js', '../openapi.json', '-o', 'generated/openapi-zod-client.ts'),
  ])
})

afterAll(remove)

test('the generated clients compile, with the checks of strict projects', async () => {
  expect(await compile('nodenext')).toBe('')
})

test('the client of hey-api compiles for bundlers too', async () => {
  expect(await compile('bundled')).toBe('')
})

test.each(clients)('the client of %s makes a whole payment', async (name) => {
  const env = { ...process.env, SVC_BASE_URL: api.baseUrl, SVC_API_KEY: api.apiKey }
  const { stdout } = await runFile(process.execPath, [path.join(folder, 'nodenext', 'built', `${name}.js`)], { env })
  const { transactionId, walletTransactionId } = JSON.parse(stdout) as Record<string, string>
  const { body } = await api.get(`/transactions/${transactionId}`)
  expect(body).toMatchObject({ transactionStatus: 'COMPLETED', correlationId: name })
  // One client pays into a wallet too, and checks the tokens of the answers at run time.
  expect(walletTransactionId !== undefined).toBe(name === 'openapi-zod-client')
  if (walletTransactionId === undefined) return
  expect((await api.get(`/transactions/${walletTransactionId}`)).body).toMatchObject({
    transactionStatus: 'COMPLETED',
    destination: { destinationCurrency: { label: 'USDC', chain: 'BASE' }, destinationAmount: '98.500000' },
  })
})

function generate(place: string, program: string, ...args: string[]) {
  const cwd = path.join(folder, place)
  return runFile(process.execPath, [path.join(generators, 'node_modules', program), ...args], { cwd })
}

/** hey-api writes file extensions for a project whose tsconfig.json needs them. */
async function generateByHeyApi(place: string, output: string): Promise<void> {
  const tsConfigPath = path.join(folder, place, 'tsconfig.json')
  const config = { input: '../openapi.json', output: { path: output, tsConfigPath } }
  await writeFile(path.join(folder, place, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(config)}`)
  await generate(place, '@hey-api/openapi-ts/bin/run.js')
}

/** Returns what the compiler reports. */
async function compile(project: string): Promise<string> {
  const compiler = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  const compiled = runFile(process.execPath, [compiler, '-p', path.join(folder, project)])
  const { stdout } = await compiled.catch((error: { stdout: string }) => error)
  return stdout
}

function writeProject(place: string, options: object, include: readonly string[]) {
  const typeRoots = [fileURLToPath(new URL('../../node_modules/@types', import.meta.url))]
  const shared = { target: 'es2022', lib: ['es2024', 'dom'], typeRoots, types: ['node'], strict: true }
  const compilerOptions = { ...shared, ...options }
  return writeFile(path.join(folder, place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
}
