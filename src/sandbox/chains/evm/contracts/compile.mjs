// Compiles the contracts of this folder and writes artifacts.json. solc is no dependency of Svc:
//   npm install --prefix /tmp/solc solc@0.8.37
//   node src/sandbox/chains/evm/contracts/compile.mjs /tmp/solc
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const folder = import.meta.dirname
const solc = createRequire(path.join(path.resolve(process.argv[2] ?? '.'), 'index.js'))('solc')
const names = ['SandboxToken.sol', 'SandboxFaucet.sol']
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: Object.fromEntries(
        names.map((name) => [name, { content: readFileSync(path.join(folder, name), 'utf8') }]),
      ),
      settings: {
        optimizer: { enabled: true, runs: 200 },
        evmVersion: 'cancun',
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object', 'evm.bytecode.object'] } },
      },
    }),
  ),
)
const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
for (const { formattedMessage } of output.errors ?? []) console.warn(formattedMessage)
const artifacts = {}
for (const contracts of Object.values(output.contracts)) {
  for (const [name, { abi, evm }] of Object.entries(contracts)) {
    const { object } = evm.deployedBytecode
    if (object !== '') artifacts[name] = { abi, code: `0x${object}`, creation: `0x${evm.bytecode.object}` }
  }
}
const lines = Object.entries(artifacts).map(
  ([name, artifact]) => `  ${JSON.stringify(name)}: ${JSON.stringify(artifact)}`,
)
writeFileSync(path.join(folder, 'artifacts.json'), `{\n${lines.join(',\n')}\n}\n`)
