-- Published watch lists of persons and businesses that must not be served. They belong to the platform, not to an
-- organization.

-- The entries of a range of entry numbers, packed, named by the hash of their content. A version that changes three
-- entries adds three rows here and shares the others with the version before, so every version is kept.
create table svc.watch_list_chunks (
  chunk_hash bytea primary key,
  entries bytea not null
);
grant select, insert on svc.watch_list_chunks to svc_app;

-- Each different content of each list that was imported. Versions are counted across all lists, so the highest one tells
-- whether anything has changed. The row of a list with the highest version is in force.
create table svc.watch_lists (
  version integer primary key,
  list text not null,
  -- The operator removed the list with this version: it has no entries, and is not in force.
  is_removed boolean not null default false,
  content_hash bytea not null,
  chunk_hashes bytea[] not null,
  entry_count integer not null,
  name_count integer not null,
  address_count integer not null,
  document_count integer not null,
  -- When the publisher made it, if the files tell.
  published_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index watch_lists_newest on svc.watch_lists (list, version);
grant select, insert on svc.watch_lists to svc_app;

-- Every import, also of a list that was in force already: the newest import tells the age of a list.
create table svc.watch_list_imports (
  import_id uuid primary key,
  version integer not null references svc.watch_lists,
  imported_at timestamptz not null default clock_timestamp()
);
create index watch_list_imports_newest on svc.watch_list_imports (version, imported_at);
grant select, insert on svc.watch_list_imports to svc_app;
