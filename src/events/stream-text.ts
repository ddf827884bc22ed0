/** Writes the text of server-sent events (HTML standard, section 9.2, "Server-sent events"). */

/** Tells the client how long to wait before it reconnects. */
export function writeRetry(ms: number): string {
  return `retry: ${ms}\n\n`
}

/** Writes one event. JSON has no raw line feed, so the data is one line. */
export function writeEvent(cursor: string, event: { type: string }): string {
  return `id: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Writes an id without data: the client dispatches no event, but remembers the id as its position. */
export function writePosition(cursor: string, comment: string): string {
  return `: ${comment}\nid: ${cursor}\n\n`
}

export function writeComment(comment: string): string {
  return `: ${comment}\n\n`
}
