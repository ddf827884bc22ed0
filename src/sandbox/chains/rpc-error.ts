/** An error of JSON-RPC, in the words and codes of the real node, because clients recognize those. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(message: string, code = -32_000, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}
