/** The text of a stream of server-sent events, as the HTML standard has it (section 9.2, "Server-sent events"). */

/** How long a client waits before it comes back, in its own first words: spread, so that not all come at once. */
export function sayRetry(ms: number): string {
  return `retry: ${ms}\n\n`
}

/** JSON has no raw line feed, so the data is one line. */
export function sayEvent(cursor: string, event: { type: string }): string {
  return `id: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Without data nothing is dispatched to the client's program, but the client remembers the place all the same. */
export function sayPlace(cursor: string, comment: string): string {
  return `: ${comment}\nid: ${cursor}\n\n`
}

export function sayComment(comment: string): string {
  return `: ${comment}\n\n`
}
