import { RpcError } from '../rpc-error.ts'

type EngineError = { code: number; message: string; data?: unknown }

const words: readonly [RegExp, string][] = [
  [/^Known transaction/, 'already known'],
  [/^Replacement transaction underpriced/, 'replacement transaction underpriced'],
  [/nonce too low/i, 'nonce too low'],
  [/doesn't have enough funds/, 'insufficient funds for gas * price + value'],
  [/invalid chainId/, 'invalid chain id for signer'],
  [/exceeds transaction gas cap/, 'transaction gas limit too high'],
  [/exceeds block gas limit/, 'exceeds block gas limit'],
  [/requires at least \d+ gas/, 'intrinsic gas too low'],
  [/^blockHash cannot be found/, 'unknown block'],
  [/^Method .* is not supported/, 'the method does not exist/is not available'],
]

/** Puts an error of the engine into the words of geth. A revert has code 3 and the revert's data. */
export function toRpcError({ code, message, data }: EngineError): RpcError {
  const reverted = revertOf(message, data)
  if (reverted) return reverted
  const known = words.find(([pattern]) => pattern.test(message))
  if (!known) return new RpcError(message, code)
  const [, text] = known
  return new RpcError(text, text.startsWith('the method') ? -32_601 : -32_000)
}

function revertOf(message: string, data: unknown): RpcError | undefined {
  if (!/revert/i.test(message)) return undefined
  const bytes = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  const reason = /reverted with reason string '([\s\S]*)'/.exec(message)?.[1]
  const text = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return new RpcError(text, 3, typeof bytes === 'string' ? bytes : '0x')
}
