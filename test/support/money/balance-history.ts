import type { Database } from '../../../src/db/database.ts'

/** A change of a row, in the order in which changes of that row took effect: each change holds its lock. */
export type Change = {
  number: string
  at: Date
  table: string
  transaction: string
  row: Record<string, string | null>
}

/** Records every change of wallets, rules and runs by database triggers. */
export async function recordHistory(owner: Database): Promise<void> {
  await owner.query({
    text: `create table public.history (
             number bigint generated always as identity primary key, at timestamptz not null default svc.now(),
             "table" text not null, transaction xid8 not null default pg_current_xact_id(), row jsonb not null)`,
  })
  await owner.query({
    text: `create function public.note_change() returns trigger language plpgsql security definer as $$
           begin
             insert into public.history ("table", row)
             select tg_table_name, jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(new));
             return null;
           end $$`,
  })
  for (const table of ['ledger_accounts', 'automation_rules', 'rule_runs']) {
    await owner.query({
      text: `create trigger note_change after insert or update on svc.${table}
                for each row execute function public.note_change()`,
    })
  }
}

export function readHistory(owner: Database): Promise<Change[]> {
  return owner.query<Change>({
    text: `select number, at, "table", transaction::text, row from public.history order by number`,
  })
}
