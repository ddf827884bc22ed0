import { readText } from '../model/paths.ts'
import { latinDigits, monthNames } from '../texts/format.ts'
import { texts } from '../texts/words.ts'
import { useFields } from './context.ts'
import type { ControlProps } from './inputs.tsx'

/** Day, month and year, in words that no country confuses. An unfinished date is saved as it is. */
export function DateInput({ path, id, isInvalid, describedBy, isRequired }: ControlProps) {
  const { store } = useFields()
  const [year = '', month = '', day = ''] = readText(store.state.values, path).split('-')
  const set = (part: 'year' | 'month' | 'day') => (event: Event) => {
    const typed = latinDigits((event.currentTarget as HTMLInputElement).value).replaceAll(/\D/g, '')
    const parts = { year, month, day, [part]: typed }
    const isEmpty = !parts.year && !parts.month && !parts.day
    store.set(path, isEmpty ? undefined : [parts.year, pad(parts.month), parts.day].join('-'))
  }
  const finish = () => {
    // A day of one digit is complete only when the customer leaves it.
    if (day.length === 1) store.set(path, [year, pad(month), pad(day)].join('-'))
    void store.flush()
  }
  const common = {
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': describedBy,
    'aria-required': isRequired || undefined,
  }
  return (
    <div class="date">
      <label>
        <span>{texts.date.day}</span>
        <input
          {...common}
          id={`${id}-day`}
          class="two"
          inputMode="numeric"
          maxLength={2}
          autocomplete={autoComplete(path, 'day')}
          value={day}
          onInput={set('day')}
          onBlur={finish}
        />
      </label>
      <label>
        <span>{texts.date.month}</span>
        <select
          {...common}
          id={`${id}-month`}
          autocomplete={autoComplete(path, 'month')}
          value={month}
          onChange={set('month')}
          onBlur={finish}
        >
          <option value="" />
          {monthNames().map((name, at) => (
            <option key={name} value={pad(String(at + 1))}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{texts.date.year}</span>
        <input
          {...common}
          id={`${id}-year`}
          class="four"
          inputMode="numeric"
          maxLength={4}
          autocomplete={autoComplete(path, 'year')}
          value={year}
          onInput={set('year')}
          onBlur={finish}
        />
      </label>
    </div>
  )
}

/** The browser may fill in the customer's own birth date. */
function autoComplete(path: string, part: string): string {
  return path === 'kycData.dateOfBirth' ? `bday-${part}` : 'off'
}

function pad(text: string): string {
  return text.length === 1 ? `0${text}` : text
}
