/**
 * The part of a statement that writes a fact about bank entries: the next comparison names them again. The part `changed`
 * before it returns their bank_entry_id.
 */
export const openEntries = `insert into svc.open_entries (bank_account_id, bank_entry_id)
           select distinct entry.bank_account_id, entry.bank_entry_id
             from changed join svc.bank_entries as entry using (bank_entry_id)
               on conflict do nothing`
