import type { Webhook } from '../openapi/webhooks.ts'
import { escapeHtml } from './markdown.ts'

/** Renders every event type with what it reports and an example of its payload. */
export function renderEvents(events: readonly Webhook[]): string {
  const entries = events.map(
    ({ name, summary, example }) => `<details id="${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code>
<span>${escapeHtml(summary)}</span></summary>
<pre tabindex="0"><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre></details>`,
  )
  return `<h2 id="event-catalog">Event catalog</h2>
<p>Each event has the same frame; <code>data</code> is the resource at that moment. A webhook receives the same event.</p>
${entries.join('\n')}`
}
